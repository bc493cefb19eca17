import type { ComponentChildren } from 'preact';

/**
 * Renders a text of a model or a data set, and marks the search term. Characters that would affect the surrounding page
 * are replaced by their code points.
 */
export function Text({ text, mark }: { readonly text: string; readonly mark?: string | undefined }) {
  return <bdi class="text">{markText(text, mark)}</bdi>;
}

/** Renders a name of data, such as a persona's. A line breaks behind its separators, and inside a word only if nothing else fits. */
export function Name({ text }: { readonly text: string }) {
  return <bdi class="text">{text.split(/(?<=[/+_])/).map((part) => [showControls(part), <wbr />])}</bdi>;
}

function markText(text: string, mark: string | undefined): ComponentChildren {
  const needle = mark?.trim().toLowerCase() ?? '';
  const lower = text.toLowerCase();
  // In a few scripts, lower case has another length, so that matches would be at other positions.
  if (needle === '' || lower.length !== text.length) return showControls(text);
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, from)) {
    parts.push(showControls(text.slice(from, at)));
    parts.push(<mark>{showControls(text.slice(at, at + needle.length))}</mark>);
    from = at + needle.length;
  }
  return [...parts, showControls(text.slice(from))];
}

/** C0 except line break and tab, DEL, C1, halves of surrogate pairs, marks of text direction, and characters without width. */
const CONTROLS = /((?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\u200B\u2060\uFEFF])/gu;

function showControls(text: string): ComponentChildren {
  const parts = text.split(CONTROLS);
  if (parts.length === 1) return text;
  // Odd parts are the captured characters: `split` puts them between the texts.
  return parts.map((part, at) => (at % 2 === 0 ? part : <span class="control">{nameCharacter(part)}</span>));
}

/** Replaces control characters in a text without markup, such as the page's title. */
export function writeOutControls(text: string): string {
  return text.replaceAll(CONTROLS, (character) => nameCharacter(character));
}

function nameCharacter(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

export function Badge({
  kind,
  children,
}: {
  readonly kind?: string | undefined;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${kind ?? ''}`}>{children}</span>;
}

/** Renders a text of a model or a data set as a paragraph. @param kind its class */
export function Paragraph({ kind, text }: { readonly kind?: string; readonly text: string }) {
  return (
    <p class={kind}>
      <Text text={text} />
    </p>
  );
}

/** Renders sentences for use below a table or figure. */
export function Notes({ lines }: { readonly lines: readonly string[] }) {
  return (
    <>
      {lines.map((line) => (
        <Paragraph kind="facts" text={line} />
      ))}
    </>
  );
}

/** Renders texts of models or data sets as a numbered list. */
export function TextList({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ol>
      {texts.map((text, at) => (
        <li key={at}>
          <Text text={text} />
        </li>
      ))}
    </ol>
  );
}

/** Renders names and their texts. Omits facts with undefined text. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, string | undefined])[] }) {
  return (
    <dl>
      {facts.map(
        ([name, text]) =>
          text !== undefined && (
            <div>
              <dt>{name}</dt>
              <dd>
                <Text text={text} />
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Renders a placeholder for an answer that is still loading, or the error that prevents it. */
export function Waiting({ error }: { readonly error: string | undefined }) {
  return error === undefined ? <p role="status">Reading…</p> : <Problem text={error} />;
}

/** Renders an error, or nothing if there is none. */
export function Problem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="problem" role="alert">
      <Text text={text} />
    </p>
  );
}

/** Renders a link to a workflow in Temporal's UI, or nothing if no UI is served. */
export function WorkflowLink({ address }: { readonly address: string | undefined }) {
  if (address === undefined) return null;
  return (
    <p>
      <a href={address} target="_blank" rel="noreferrer noopener">
        Open the workflow in Temporal’s UI
      </a>
    </p>
  );
}

/** Renders a long text that scrolls by itself. */
export function LongText({
  label,
  text,
  mark,
}: {
  readonly label: string;
  readonly text: string;
  readonly mark?: string | undefined;
}) {
  return (
    <div class="long" role="group" aria-label={label} ref={letScroll}>
      <Text text={text} mark={mark} />
    </div>
  );
}

/** Makes an element focusable if it scrolls, so that the keyboard can scroll it and skips all others. */
function letScroll(
  element: { readonly scrollHeight: number; readonly clientHeight: number; tabIndex: number } | null,
): void {
  if (element !== null && element.scrollHeight > element.clientHeight) element.tabIndex = 0;
}
