import type { Random } from '../../rules/sampling/random';

type Spoil = (answer: string) => string;

/** Spoils the answer in one of the ways in which models spoil answers of this step. */
export function spoilAnswer(step: string, answer: string, random: Random): string {
  return random.pick(WAYS[step] ?? [returnBlank])(answer);
}

const returnBlank: Spoil = () => '  \n';
const chat: Spoil = () =>
  'Certainly! Before I begin, could you tell me a little more about what you have in mind?';
/** Removes the end of the block. */
const leaveUnclosed: Spoil = (answer) => answer.slice(0, answer.lastIndexOf('```')).trimEnd();
const dropHeadings: Spoil = (answer) => answer.replaceAll(/^#{3,4} /gm, '');
const addTrailingComma: Spoil = (answer) => answer.replace(/\s*\](?=[^\]]*$)/, ',$&');

function replaceBy(pattern: RegExp, replacement: string): Spoil {
  return (answer) => answer.replace(pattern, replacement);
}

/** Removes the last entry of a YAML list whose entries begin with this key. */
function dropLast(start: string): Spoil {
  return (answer) => `${answer.slice(0, answer.lastIndexOf(`  - ${start}:`))}\`\`\``;
}

/** Makes the score contradict the decision: the answer is usable, but in doubt. */
function contradictScore(answer: string): string {
  return /#### Continue or End\?\n\nEND/.test(answer)
    ? answer.replace(/(?<=#### Evaluation Score\n\n)\d+/, '8')
    : answer.replace(/(#### Continue or End\?\n\n)CONTINUE/, '$1END');
}

const checklist: readonly Spoil[] = [
  leaveUnclosed,
  chat,
  addTrailingComma,
  replaceBy(
    /\n(\s*)\](?=[^\]]*$)/,
    ',\n$1  "Is it clear?",\n$1  "Is it kind?",\n$1  "Is it short?",\n$1  "Is it new?"\n$1]',
  ),
];

const WAYS: Readonly<Record<string, readonly Spoil[]>> = {
  describe: [leaveUnclosed, chat, addTrailingComma, replaceBy(/"occupation"/g, '"job"')],
  factors: [
    leaveUnclosed,
    chat,
    dropLast('factor_type'),
    replaceBy(/factor_type: .*/, 'factor_type: Mood/Weather'),
    replaceBy(/(related_factor: ".*")(?![^]*related_factor)/, 'related_factor: "The other one"'),
  ],
  journey: [
    leaveUnclosed,
    chat,
    dropLast('id'),
    replaceBy(/context_factor: "(.*)"/, 'context_factor: "The famous $1"'),
    replaceBy(/task_type: .*/, 'task_type: Daydreaming'),
  ],
  checklist,
  user: [
    chat,
    dropHeadings,
    replaceBy(/#### Your Message[^]*/, ''),
    replaceBy(/(#### Evaluation Score\n\n)\d+/, '$1N/A'),
    replaceBy(/(#### Evaluation Score\n\n)\d+/, '$1between 6 and 8'),
    contradictScore,
  ],
  summarize: [
    leaveUnclosed,
    chat,
    replaceBy(/"session_id": 1,/, '"session_id": 70,'),
    replaceBy(/"context": \[[^\]]*\]/, '"context": []'),
  ],
  choose: [
    returnBlank,
    chat,
    replaceBy(/(?<=### Choice\n\n).*/, 'A or B'),
    replaceBy(/(?<=### Choice\n\n).*/, 'Z'),
  ],
  infer: [returnBlank, dropHeadings, chat, replaceBy(/(### Most Likely Preference)[^]*/, '$1')],
  match: [
    leaveUnclosed,
    chat,
    replaceBy(/("label": ?)"[^"]*"/, '$1"Mostly Covered"'),
    replaceBy(/("index": ?)1,/, '$15,'),
  ],
  judge: [returnBlank, chat, dropHeadings, replaceBy(/\d+$/, 'N/A'), replaceBy(/\d+$/, '85')],
  classify: [
    leaveUnclosed,
    chat,
    replaceBy(/"type": ".*"/, '"type": "Bad Luck"'),
    replaceBy(/"type"/, '"kind"'),
  ],
  express: [
    leaveUnclosed,
    chat,
    replaceBy(/"rating": ".*"/, '"rating": "7"'),
    replaceBy(/"index": 1,/, '"index": 9,'),
  ],
  guess: [leaveUnclosed, chat, replaceBy(/"expectation"/, '"guess"')],
  contradict: [leaveUnclosed, chat, replaceBy(/"verdict": ".*"/, '"verdict": "Perhaps"')],
};
