import { RAW_SYSTEM_PROMPTS, type PromptName } from './files';
import type { Prompt, PromptPack } from '../../schemas/run/prompts';

/**
 * Renders a template in the subset of Python's `str.format` that prompt packs use: `{name}` for a value, `{{` and `}}` for braces. Values
 * are inserted unchanged, including their braces.
 * @throws Error that lists all errors of the template, and every placeholder without a value
 */
export function renderTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const { parts, problems } = parseTemplate(template);
  const missing = listPlaceholders(parts).filter((name) => !Object.hasOwn(values, name));
  const complaints = [...problems, ...missing.map((name) => `no value for the placeholder {${name}}`)];
  if (complaints.length > 0) {
    const valueNames = Object.keys(values).map((name) => `{${name}}`);
    throw new Error(
      `The prompt cannot be rendered: ${complaints.join('; ')}. Values given: ${valueNames.join(', ') || 'none'}.`,
    );
  }
  return renderParts(parts, values);
}

/**
 * Renders the pack's prompt of that name; both texts stay exactly as in the file, not stripped. The system prompts of the preference
 * inferrer and the response generator are sent as they are. `user` is absent for the two prompts with a system prompt only.
 * @throws Error when the pack lacks the prompt, or a value is missing
 */
export function renderPrompt(
  pack: PromptPack,
  name: PromptName,
  values: Readonly<Record<string, string>>,
): { system: string; user?: string } {
  const prompt: Prompt | undefined = pack.prompts[name];
  if (prompt === undefined) {
    throw new Error(
      `The prompt pack "${pack.source}" was loaded without ${name}. Load the pack with that prompt.`,
    );
  }
  const system = RAW_SYSTEM_PROMPTS.has(name)
    ? prompt.system_prompt
    : renderTemplate(prompt.system_prompt, values);
  return prompt.user_prompt === undefined
    ? { system }
    : { system, user: renderTemplate(prompt.user_prompt, values) };
}

/** Returns the text that every rendering of a template begins with: up to the first placeholder that is not in `constants`. */
export function renderLeadingText(
  template: string,
  constants: Readonly<Record<string, string>> = {},
): string {
  const { parts } = parseTemplate(template);
  const first = parts.findIndex(
    (part) => 'placeholder' in part && !Object.hasOwn(constants, part.placeholder),
  );
  return renderParts(first < 0 ? parts : parts.slice(0, first), constants);
}

function renderParts(parts: readonly TemplatePart[], values: Readonly<Record<string, string>>): string {
  return parts.map((part) => ('text' in part ? part.text : (values[part.placeholder] ?? ''))).join('');
}

type TemplatePart = { readonly text: string } | { readonly placeholder: string };

interface TemplateReading {
  readonly parts: readonly TemplatePart[];
  /** Problems, one phrase each with its line; empty for a template that can be rendered. */
  readonly problems: readonly string[];
}

/** Parses a template without throwing, so that all problems of a pack can be reported at once. */
export function parseTemplate(template: string): TemplateReading {
  const parts: TemplatePart[] = [];
  const problems: string[] = [];
  let at = 0;
  for (const match of template.matchAll(BRACES)) {
    parts.push({ text: template.slice(at, match.index) });
    at = match.index + match[0].length;
    const [token, field] = match;
    if (token === '{{' || token === '}}') {
      parts.push({ text: token.charAt(0) });
    } else if (field !== undefined && IDENTIFIER.test(field)) {
      parts.push({ placeholder: field });
    } else {
      problems.push(`line ${getLineNumber(template, match.index)}: ${formatComplaint(token, field)}`);
    }
  }
  parts.push({ text: template.slice(at) });
  return { parts, problems };
}

export function listPlaceholders(parts: readonly TemplatePart[]): string[] {
  return [...new Set(parts.flatMap((part) => ('placeholder' in part ? [part.placeholder] : [])))];
}

/** Matches from left to right: doubled braces first, as in Python, then a field, then a single brace. */
const BRACES = /\{\{|\}\}|\{([^{}]*)\}|[{}]/gu;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/u;

function formatComplaint(token: string, field: string | undefined): string {
  if (field === undefined)
    return `a single "${token}" is unpaired; for a literal brace write "${token}${token}"`;
  const literal = `if literal braces are meant, write "{${token}}"`;
  if (field === '' || /^\d+$/u.test(field)) return `${token} has no name; write {name}, or, ${literal}`;
  if (/^[A-Za-z_][A-Za-z0-9_]*\s*[!:.[]/u.test(field)) {
    return `${token} has a conversion, a format or an attribute, but only a plain {name} is supported; ${literal}`;
  }
  return `${token} is not a placeholder; ${literal}`;
}

function getLineNumber(template: string, index: number): number {
  return template.slice(0, index).split('\n').length;
}
