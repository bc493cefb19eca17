/** Fills `{slot}`s, `{Slot}`s with a capital letter; a slot without a value stays as it is. */
export function fill(template: string, slots: Readonly<Record<string, string>>): string {
  return capitalised(
    template.replaceAll(
      /\{(\w+)\}/g,
      (slot, name: string) => slots[name] ?? capitalised(slots[uncapitalised(name)] ?? slot),
    ),
  );
}

export function capitalised(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

export function uncapitalised(text: string): string {
  return text.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
}

/** `a` or `an`, going by the letter. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** `a`, `a and b`, `a, b, and c`. */
export function enumerated(items: readonly string[]): string {
  if (items.length < 3) return items.join(' and ');
  return `${items.slice(0, -1).join(', ')}, and ${items.slice(-1).join('')}`;
}

/** What a text in another's words is about: its longest words, in its order. */
export function pointOf(text: string): string {
  const words = text.match(/[\p{L}-]{5,}/gu) ?? [];
  const longest = new Set(words.toSorted((one, other) => other.length - one.length).slice(0, 2));
  return `the ${
    words
      .filter((word) => longest.has(word))
      .slice(0, 2)
      .join(' and the ') || 'matter'
  }`;
}

export type Pronouns = 'she' | 'he' | 'they';

export const PRONOUN_SETS: Readonly<Record<Pronouns, string>> = {
  she: 'she/her',
  he: 'he/him',
  they: 'they/them',
};

/**
 * The slots that speak of somebody. `{who}` takes a verb in the third person singular: she, he, or the name, since "they" would
 * take another.
 */
export function personSlots(name: string, pronouns: Pronouns): Readonly<Record<string, string>> {
  return {
    name,
    ...{
      she: { who: 'she', their: 'her', them: 'her', themself: 'herself' },
      he: { who: 'he', their: 'his', them: 'him', themself: 'himself' },
      they: { who: name, their: 'their', them: 'them', themself: 'themself' },
    }[pronouns],
  };
}
