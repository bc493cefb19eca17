/** What a preference speaks of, before "must". */
export const SUBJECTS: readonly string[] = [
  'answers',
  'replies',
  'any help',
  'all advice',
  'explanations',
  'drafts and notes',
  'suggestions',
  'every response',
  'proposals',
  'any text',
  'responses',
  'guidance',
  'all output',
  'recommendations',
  'write-ups',
  'the answer',
];

export const NUMBER_WORDS: readonly string[] = ['two', 'three', 'four', 'five'];
