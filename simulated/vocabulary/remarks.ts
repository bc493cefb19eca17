/** What users say around a hint or a praise. */
export const AGAIN_LEADS: readonly string[] = [
  'Not quite yet.',
  'Closer, but no.',
  'It has moved a little.',
  'Almost.',
  'Better in places.',
  'I see you tried.',
  'Still.',
  'Hm, the same thing again.',
];

export const FACTOR_REMARKS: readonly string[] = [
  'I am thinking of {factor}.',
  'This is for {factor}, after all.',
  'With {factor} one notices such things.',
  'I know {factor} well enough to look at that.',
  'Remember what it is for: {factor}.',
  'That would not do for {factor}.',
  'You do not know {factor}.',
  'I have my reasons, and they are called {factor}.',
];

/** For an expectation that is not this model's own; `{point}` is taken from its question. */
export const OTHER_HINTS: readonly string[] = [
  'Something about {point} does not sit right with me yet.',
  'I keep stumbling when it comes to {point}.',
  'Would you look at {point} again?',
  'I am not convinced as far as {point} goes.',
];

export const OTHER_PRAISE: readonly string[] = [
  'It works for me now as far as {point} goes.',
  'I have no more questions about {point}.',
  'Good, {point} is how I would have done it.',
];

export const LAST_WORDS: readonly string[] = [
  'That settles it.',
  'This I can use.',
  'Yes, like that.',
  'I will take it as it is.',
  'Exactly.',
  'Now it fits.',
];

/** How the simulated user weighs what to say; `{raised}` and `{kept}` are item numbers. */
export const THINKING: readonly string[] = [
  'Item {raised} bothers me most, so I will point towards it without naming it and leave the others for later.',
  'I will hint at item {raised}; saying outright what I want would take away the point of it.',
  'One remark on item {raised} is enough for now, and it should be short.',
  'I would rather describe what went wrong for me with item {raised} than give instructions.',
];

export const LAST_THINKING: readonly string[] = [
  'Everything on my list is there; what I have not mentioned so far should get a word before I stop.',
  'There is nothing left to ask for, so I close with the items I never brought up.',
  'I am content and say in passing what I had not said before.',
];
