/** Guesses at the right option of a choice without the history: the longest, the shortest, the one with most words of the request, or a position. */
export const GUESSES = ['longest', 'shortest', 'request', 'A', 'B', 'C', 'D'] as const;
export type Guess = (typeof GUESSES)[number];

/** The option that a guess chooses. */
export const GUESS_TEXTS: Readonly<Record<Guess, string>> = {
  longest: 'the longest option',
  shortest: 'the shortest option',
  request: 'the option with most words of the request',
  A: 'option A',
  B: 'option B',
  C: 'option C',
  D: 'option D',
};
