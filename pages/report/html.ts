import { escapeControls } from '../../schemas/text/control-characters';

/** Markup that is safe on a page: built by `html`, or drawn by this program. */
export class Html {
  constructor(readonly markup: string) {}
}

type HtmlContent = Html | string | number | readonly HtmlContent[];

/** Builds markup, and escapes all contents that are not `Html`: what models, data sets and users wrote stays text. */
export function html(parts: TemplateStringsArray, ...contents: readonly HtmlContent[]): Html {
  const inserted = contents.map(render);
  // The indentation of the source would be a third of a page.
  return new Html(parts.map((part, at) => part.replaceAll(/\n\s+/g, '\n') + (inserted[at] ?? '')).join(''));
}

function render(content: HtmlContent): string {
  if (content instanceof Html) return content.markup;
  if (typeof content === 'string') return escapeText(content);
  return typeof content === 'number' ? `${content}` : content.map(render).join('');
}

/** Escapes markup and control characters. A page shows the latter as nothing, or reorders the text around them. */
function escapeText(text: string): string {
  return escapeControls(text).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
