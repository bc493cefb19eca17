/** What somebody expects of answers who has understood nothing: verb phrases that follow "must", true of any good answer. */
export const VAGUE_RULES: readonly string[] = [
  'be as helpful as possible',
  'fit the occasion',
  'be clear throughout',
  'suit whoever reads them',
  'be of good quality',
  'be worth the time',
];

/** What the request gives away by itself; `{topic}`. */
export const SHALLOW_RULES: readonly string[] = [
  'deal with {topic} and nothing else',
  'be of practical use for {topic}',
  'go through {topic} in detail',
  'say what comes next with {topic}',
];

/** How an inference begins: `{count}` sessions in all, `{sessions}` the ones gone by. */
export const ANALYSIS_OPENINGS: readonly string[] = [
  'Of the {count} earlier conversations, {sessions} comes closest to this request.',
  'I went through all {count} conversations and would go by {sessions} here.',
  'The request shares its context with {sessions}, as far as I can tell from {count} conversations.',
];

export const NO_HISTORY_OPENINGS: readonly string[] = [
  'There is no earlier conversation to go by, so only the request can tell.',
  'Without a history, the request alone has to say what is wanted.',
];

/** What was noticed; `{rule}`. */
export const FINDINGS: readonly string[] = [
  'What was said after the first answer makes me think that answers must {rule}.',
  'The user seems content once the answers {rule}.',
  'More than one remark points to this: {rule}.',
  'It stands out that answers should {rule}.',
];

/** Before the sentence that names the preference; `{factor}`. */
export const CONTEXT_LEADS: readonly string[] = [
  'when it comes to {factor}, ',
  'for {factor}, ',
  'where {factor} is concerned, ',
];

/** About a session that is being summed up; `{factor}`, `{messages}`. */
export const SUMMARY_ANALYSES: readonly string[] = [
  'It begins with a request about {factor} and takes {messages} more from the user until it ends.',
  'The user asks for help with {factor} in mind; what counts is said in {messages} after that.',
];

/** When a session says nothing about how answers should be. */
export const NOTHING_ASKED: readonly string[] = [
  'Nothing in particular was asked for.',
  'No wish became clear.',
];

/** Why a preference covers a checklist entry, by how far it does. */
export const MATCH_REASONS = {
  'Fully Covered': [
    'The preference asks for the same thing.',
    'Whoever follows the preference does this as well.',
  ],
  'Partially Covered': [
    'The preference speaks of the same matter but asks for something else in it.',
    'Part of this follows from the preference, the rest is left open.',
  ],
  'Not Covered': [
    'The preference says nothing about this.',
    'An answer could follow the preference and still miss this.',
  ],
} as const;

/** What a judge says of an entry, by how far the response shows it. */
export const JUDGEMENTS = {
  shown: ['The response does this in so many words.', 'This is there, and it is easy to find.'],
  partly: [
    'There are traces of this in the response, but it is not carried through.',
    'The response goes in that direction without getting there.',
  ],
  missing: ['Nothing in the response speaks of this.', 'I looked for this and did not find it.'],
} as const;

/** Why an inferred preference is wrong. */
export const ERROR_EXPLANATIONS = {
  'Incorrect Context': 'Most of what was inferred belongs to conversations on other occasions.',
  'Shallow Inference': 'What was inferred can be read off the request without any history.',
  Vagueness: 'The direction is right or at least not wrong, but nothing definite is said.',
  Hallucination: 'Neither the request nor any conversation gives a reason for what was inferred.',
} as const;
