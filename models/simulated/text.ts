import type { Random } from '../../rules/sampling/random';

/** Returns true with this probability, in percent. */
export function drawChance(random: Random, percent: number): boolean {
  return random.integer(100) < percent;
}

/** Fills `{slot}`s, and `{Slot}`s with a capital letter; a slot without a value stays unchanged. */
export function fill(template: string, slots: Readonly<Record<string, string>>): string {
  const text = template.replaceAll(
    /\{(\w+)\}/g,
    (slot, name: string) => slots[name] ?? capitalize(slots[uncapitalize(name)] ?? slot),
  );
  return capitalize(text).replaceAll(/(?<=[.!?] )\p{Ll}/gu, (letter) => letter.toUpperCase());
}

export function capitalize(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

export function uncapitalize(text: string): string {
  return text.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
}

/** Joins items: `a`, `a and b`, `a, b, and c`. */
export function enumerate(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items);
}

/** Returns the subject of a text outside of the vocabulary: its longest words, in order. */
export function findPoint(text: string): string {
  const words = text.match(/[\p{L}-]{5,}/gu) ?? [];
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, 2);
  return `the ${
    words
      .filter((word) => longest.includes(word))
      .slice(0, 2)
      .join(' and the ') || 'request'
  }`;
}

/** Returns the share of a text's longer words that another text also has, from 0 to 1; 0 if it has no longer words. */
export function computeWordOverlap(text: string, otherText: string): number {
  const words = findStems(text);
  const otherStems = findStems(otherText);
  return words.size === 0 ? 0 : [...words].filter((word) => otherStems.has(word)).length / words.size;
}

/** Returns the beginnings of longer words, so that "formal" and "formality" are equal. */
function findStems(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/\p{L}[\p{L}\p{N}]{3,}|\p{N}+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 6)));
}

/** Words that are common in questions about responses and preferences, whatever their subject. */
const COMMON: ReadonlySet<string> = new Set(
  `about also answer answers each every from have into just more most must only other prefer prefers reply response
  responses should such than that their them then there these they this those user very want wants what when where
  which with within would your`.split(/\s+/),
);

export function renderJsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** Parses the entries of a checklist in a prompt, numbered from 1 or as a list of dashes; other lines belong to the entry before. */
export function readChecklist(text: string): string[] {
  const numbered = /^\s*1[.)]\s/.test(text);
  const entries: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const start = numbered ? new RegExp(`^\\s*${entries.length + 1}[.)]\\s+([^]*)$`) : /^\s*-\s+([^]*)$/;
    const entry = start.exec(line)?.[1];
    if (entry !== undefined) entries.push(entry.trim());
    else if (line.trim() !== '') entries.push(`${entries.pop() ?? ''} ${line.trim()}`.trim());
  }
  return entries;
}
