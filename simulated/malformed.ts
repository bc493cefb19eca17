import { z } from 'zod';
import type { Random } from '../rules/sampling/random';

/** The answer spoiled in one of the ways that models spoil answers of this step. */
export function spoil(step: string, answer: string, random: Random): string {
  const ways = WAYS[step] ?? [emptied];
  return random.pick(ways)(answer, random);
}

type Way = (answer: string, random: Random) => string;

const WAYS: Readonly<Record<string, readonly Way[]>> = {
  describe: [unclosed, prose, withoutLastPersona, withTrailingComma, withoutOccupation],
  factors: [
    unclosed,
    prose,
    withoutLastFactor,
    unknownFactorType,
    unknownTaskType,
    wrongPartner,
    unquotedColon,
  ],
  journey: [
    unclosed,
    prose,
    withoutLastSession,
    wrongFactorName,
    unknownTaskTypeOfSession,
    strayPlaceholder,
    unquotedColon,
  ],
  checklist: [unclosed, prose, tooManyQuestions, withTrailingComma],
  user: [prose, withoutMessage, withoutScore, brokenScore, withoutHeadings, disagreeing],
  assistant: [emptied],
  summarize: [unclosed, prose, withoutLastSummary, sameSessionTwice, withoutContext],
  infer: [emptied, withoutHeadings, nothingUnderLastHeading, prose],
  decompose: [unclosed, prose, tooManyQuestions, withTrailingComma],
  match: [unclosed, prose, withoutLastMatch, unknownLabel, reorderedEntries, withTrailingComma],
  respond: [emptied],
  judge: [emptied, prose, withoutLastSection, withoutNumber, brokenJudgement, withoutHeadings],
  classify: [unclosed, prose, unknownErrorType, withoutErrorType],
};

function emptied(): string {
  return '  \n';
}

/** The end of the block is missing; of an answer without a block, the end. */
function unclosed(answer: string): string {
  const end = answer.lastIndexOf('```');
  return answer.slice(0, end < 0 ? -1 : end).trimEnd();
}

function prose(_: string, random: Random): string {
  return random.pick([
    'Certainly! Before I begin, could you tell me a little more about what you have in mind?',
    'I would be glad to help with this. It is an interesting profile, and there is a lot to say about it.',
    'This looks good to me overall. I have no further remarks at the moment.',
    'Sure, I can do that. Shall I go through it one by one?',
  ]);
}

function withoutLastPersona(answer: string): string {
  const at = answer.lastIndexOf('    {\n');
  return `${answer.slice(0, at).replace(/,?\s*$/, '')}\n  ]\n}\n\`\`\``;
}

function withTrailingComma(answer: string): string {
  return answer.replace(/\s*\](?=[^\]]*$)/, ',$&');
}

function withoutOccupation(answer: string): string {
  return answer.replaceAll('"occupation"', '"job"');
}

function withoutLastFactor(answer: string): string {
  return `${answer.slice(0, answer.lastIndexOf('  - factor_type:'))}\`\`\``;
}

function unknownFactorType(answer: string): string {
  return answer.replace(/factor_type: .*/, 'factor_type: Mood/Weather');
}

function unknownTaskType(answer: string): string {
  return answer.replace(/ {6}- .*/, '      - Daydreaming');
}

/** The last pair's names, slightly off. */
function wrongPartner(answer: string): string {
  const at = answer.lastIndexOf('related_factor:');
  return `${answer.slice(0, at)}related_factor: "The other one"\n\`\`\``;
}

function unquotedColon(answer: string): string {
  return answer.replace(/: "(?=[^"\n]{20})/, ': - note: it is "');
}

function withoutLastSession(answer: string): string {
  return `${answer.slice(0, answer.lastIndexOf('  - id:'))}\`\`\``;
}

function wrongFactorName(answer: string): string {
  return answer.replace(/context_factor: "(.*)"/, 'context_factor: "The famous $1"');
}

function unknownTaskTypeOfSession(answer: string): string {
  return answer.replace(/task_type: ".*"/, 'task_type: "Daydreaming"');
}

/** A placeholder that nothing stands for. */
function strayPlaceholder(answer: string): string {
  const sessions = answer.split(/(?=^ {2}- id:)/m);
  const plain = sessions.findIndex((session) => session.includes('request_with_factor: "'));
  return sessions
    .map((session, place) =>
      place === plain && !session.includes('    resource:')
        ? session.replace(/(request_with_factor: ".*)"/, '$1 [resource]"')
        : session.replace(/^ {4}resource:/m, '    attachment:'),
    )
    .join('');
}

function tooManyQuestions(answer: string): string {
  const more = ['clear', 'kind', 'short', 'useful'].map((quality) => `    "Is the answer ${quality}?"`);
  return answer.replace(/\n(\s*)\]/, `,\n${more.join(',\n')}\n$1]`);
}

function withoutMessage(answer: string): string {
  return answer.slice(0, answer.indexOf('#### Your Message')).trimEnd();
}

function withoutScore(answer: string): string {
  return answer.replace(/(#### Evaluation Score\n\n)\d+/, '$1N/A');
}

function brokenScore(answer: string, random: Random): string {
  return answer.replace(
    /(#### Evaluation Score\n\n)\d+/,
    `$1${random.pick(['7.5', 'between 6 and 8', '85', 'very good'])}`,
  );
}

function withoutHeadings(answer: string): string {
  return answer.replaceAll(/^#{3,4} /gm, '');
}

/** A score that says one thing and a decision that says the other: usable, but in doubt. */
function disagreeing(answer: string): string {
  return /#### Continue or End\?\n\nEND/.test(answer)
    ? answer.replace(/(?<=#### Evaluation Score\n\n)\d+/, '8')
    : answer.replace(/(#### Continue or End\?\n\n)CONTINUE/, '$1END');
}

const summariesSchema = z.object({ summaries: z.array(z.record(z.string(), z.unknown())) });

function withoutLastSummary(answer: string): string {
  return withSummaries(answer, (summaries) => summaries.slice(0, -1));
}

/** The last summary bears the first one's number; a log of one session has no other, so that number is a strange one. */
function sameSessionTwice(answer: string): string {
  return withSummaries(answer, (summaries) =>
    summaries.map((summary, place) =>
      place === summaries.length - 1 ? { ...summary, session_id: place === 0 ? 7 : 1 } : summary,
    ),
  );
}

function withoutContext(answer: string): string {
  return withSummaries(answer, (summaries) => summaries.map((summary) => ({ ...summary, context: [] })));
}

type Entries = readonly Readonly<Record<string, unknown>>[];

function withSummaries(answer: string, change: (summaries: Entries) => Entries): string {
  const { summaries } = summariesSchema.parse(JSON.parse(inBlock(answer)));
  return asBlock({ summaries: change(summaries) });
}

function nothingUnderLastHeading(answer: string): string {
  return answer.slice(0, answer.lastIndexOf('\n'));
}

/** The text up to the last heading. */
function withoutLastSection(answer: string): string {
  return answer.slice(0, answer.lastIndexOf('### ')).trimEnd();
}

function withoutNumber(answer: string): string {
  return answer.replace(/\d+$/, 'N/A');
}

function brokenJudgement(answer: string, random: Random): string {
  return answer.replace(/\d+$/, random.pick(['8.5', '7-8', '0', '11', '85', 'very good']));
}

const matchesSchema = z.array(z.record(z.string(), z.unknown()));

function withoutLastMatch(answer: string): string {
  return withMatches(answer, (entries) => entries.slice(0, -1));
}

function unknownLabel(answer: string, random: Random): string {
  const label = random.pick(['Mostly Covered', 'Yes', 'Covered', 'N/A']);
  return withMatches(answer, (entries) =>
    entries.map((entry, place) => (place === 0 ? { ...entry, label } : entry)),
  );
}

/** Entries turned round under numbers that go on counting; a single one is put under a number that there is not. */
function reorderedEntries(answer: string): string {
  return withMatches(answer, (entries) =>
    entries.toReversed().map((entry, place) => ({ ...entry, index: entries.length === 1 ? 5 : place + 1 })),
  );
}

/** Both forms of the answer, the bare list and the list under `results`, stay what they are. */
function withMatches(answer: string, change: (entries: Entries) => Entries): string {
  if (!answer.startsWith('```')) return JSON.stringify(change(matchesSchema.parse(JSON.parse(answer))));
  const { results } = z.object({ results: matchesSchema }).parse(JSON.parse(inBlock(answer)));
  return asBlock({ results: change(results) });
}

function unknownErrorType(answer: string): string {
  return answer.replace(/"type": ".*"/, '"type": "Bad Luck"');
}

function withoutErrorType(answer: string): string {
  return answer.replace('"type"', '"kind"');
}

function inBlock(answer: string): string {
  return answer.replace(/^```json\n/, '').replace(/\n```$/, '');
}

function asBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
