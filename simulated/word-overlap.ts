/** The share of a text's telling words that another text holds as well, from 0 to 1; 0 where it has none. */
export function wordOverlap(text: string, other: string): number {
  const words = tellingWords(text);
  const others = tellingWords(other);
  const shared = [...words].filter((word) => others.has(word));
  return words.size === 0 ? 0 : shared.length / words.size;
}

/** The beginnings of a text's longer words, so that "formal" and "formality" are one. */
export function tellingWords(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/\p{L}[\p{L}\p{N}]{3,}|\p{N}+/gu) ?? [];
  return new Set(words.filter((word) => !EMPTY.has(word)).map((word) => word.slice(0, STEM)));
}

const STEM = 6;

/** Words that questions about answers and preferences are full of, whatever they ask. */
const EMPTY: ReadonlySet<string> = new Set(
  `about also answer answers been before both does each every from have help into just like more most must only other
  over please prefer prefers reply response responses should such than that their them then there these they this those
  true user very want wants were what when where which while with within would your`.split(/\s+/),
);
