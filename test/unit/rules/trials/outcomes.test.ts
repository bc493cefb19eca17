import { isRetried, readCell, readStudy, type FoundCall } from '../../../../rules/method/evaluation-reader';
import { computeOutcome, type Outcome } from '../../../../rules/trials/outcomes';
import type { Cell, MissingCall, StoredCalls } from '../../../../schemas/evaluation/evaluation';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';
import type { JournalEntry } from '../../../../schemas/run/journal';
import type { EvaluationStep } from '../../../../schemas/run/step';
import { buildJournalEntry } from '../../../journal-entry';
import { buildInstance, renderFencedJson } from '../examples';
import { buildGenerationCell, buildInferenceCell } from './cells';

const MODEL = 'openai:tested';
const DECOMPOSER = 'openai:decomposer';
const MATCHER = 'openai:matcher';
const TRIAL = { instance: 1, model: 1, context: 'full' as const };
const INFERENCE = buildInferenceCell({ model: MODEL, decomposer: DECOMPOSER, by: MATCHER });
const GENERATION = buildGenerationCell({ model: MODEL, by: MATCHER });
const SETTINGS = evaluationSettingsSchema.parse({ steps: { judge: { maxRepairs: 1, maxSamples: 2 } } });
const INPUTS = {
  id: 'run',
  models: [MODEL],
  evaluators: [DECOMPOSER, MATCHER],
  settings: SETTINGS,
  data: {},
};
const REFERENCE = { ...INPUTS, settings: { ...SETTINGS, referenceCompatible: true } };
const CHECKLIST = ['Is every step numbered?'];
const INSTANCE = buildInstance({ current_checklist: CHECKLIST });

const MATCHED = renderFencedJson({
  results: CHECKLIST.map((text, at) => ({ index: at + 1, entry: text, label: 'Fully Covered' })),
});
const SCORED_8 = 'So.\n\n### Evaluation Score\n\n8';
const INFERRED = entry('r0.infer.t0.a0', '### Most Likely Preference\n\nSteps with numbers.');
const DECOMPOSED = entry('r0.decompose.t1.a0', renderFencedJson({ checklist: CHECKLIST }));
const MATCHED_INFERRED = entry('r0.match.t1.e2.inferred.a0', MATCHED);
const MATCHED_TRUE = entry('r0.match.t1.e2.true.a0', MATCHED);
const RESPONDED = entry('r0.respond.t0.a0', ' Begin. ');
const JUDGED = entry('r0.judge.t2.a0', SCORED_8);
const BAD = entry('r0.judge.t2.a0', 'No score.');
const SECOND = entry('r0.judge.t2.a1', SCORED_8.replace('8', '3'));
const LATER = entry('r0.judge.t2.a2', SCORED_8.replace('8', '5'));
const NO_SCORE = missing('judge', '2', 'bad-answers');
const NO_MATCH = missing('match', '1.e2.inferred', 'refused');

test.each<[string, JournalEntry[], Partial<Outcome>, ...MissingCall[]]>([
  [
    'matched both ways is scored',
    [DECOMPOSED, MATCHED_INFERRED, MATCHED_TRUE],
    { state: 'scored', labels: { inferred: ['Fully Covered'], truth: ['Fully Covered'] } },
  ],
  // The row must not depend on the moment of a kill.
  ['of which one match is missing is open while the other is', [DECOMPOSED], { state: 'open' }, NO_MATCH],
  [
    'of which one match is missing names who answered the other',
    [DECOMPOSED, MATCHED_TRUE],
    {
      state: 'missing',
      missing: NO_MATCH,
      answeredBy: ['infer.t0', 'decompose.t1', 'match.t1.e2.true'],
    },
    NO_MATCH,
  ],
])('an inference %s', (_, entries, expected, ...notes) => {
  const calls = { entries: [INFERRED, ...entries], missing: notes };
  expect(outcomeOf(INFERENCE, calls)).toMatchObject(expected);
});

test.each<[string, JournalEntry[], Partial<Outcome>, ...MissingCall[]]>([
  ['good, whatever is noted', [JUDGED], { state: 'scored', score: 8, response: 'Begin.' }, NO_SCORE],
  ['bad, then good, then unused', [LATER, SECOND, BAD], { state: 'scored', score: 3, analysis: 'So.' }],
  ['cut off, then good', [finish(JUDGED, 'length'), SECOND], { state: 'scored', score: 3 }],
  ['bad, too long with its corrections, then good', [BAD, LATER], { state: 'scored', score: 5 }],
  ['lost, then good', [SECOND], { state: 'open' }],
  ['refused, with its work in progress', [finish(JUDGED, 'refused')], { state: 'open' }],
  ['bad, with a note', [BAD], { state: 'missing', missing: NO_SCORE, response: 'Begin.' }, NO_SCORE],
  ['too long', [], { state: 'missing' }, missing('judge', '2', 'context-length')],
  ['another evaluator’s', [entry('r0.judge.t1.a0', SCORED_8)], { state: 'open' }],
])('the answers of a judge: %s', (_, entries, expected, ...notes) => {
  const calls = { entries: [RESPONDED, ...entries], missing: notes };
  expect(outcomeOf(GENERATION, calls)).toMatchObject(expected);
});

test.each<[EvaluationStep, Cell]>([
  ['respond', GENERATION],
  ['summarize', { ...INFERENCE, context: 'summary' }],
])('a context that is too long counts against the model under test in step %s', (step, cell) => {
  const calls = { entries: [], missing: [missing(step, '0', 'context-length')] };
  expect(outcomeOf(cell, calls)).toMatchObject({ state: 'context-length' });
});

test('read as the reference reads, an empty inference is scored as nothing inferred, and a cut answer is taken', () => {
  const empty = { entries: [entry('r0.infer.t0.a0', 'Nothing.')], missing: [] };
  const nothing = { preference: '', checklist: [], labels: { inferred: [], truth: [] } };
  expect(outcomeOf(INFERENCE, empty, REFERENCE)).toMatchObject({ state: 'scored', ...nothing });
  expect(outcomeOf(INFERENCE, empty)).toMatchObject({ state: 'open' });
  const cut = { entries: [RESPONDED, finish(JUDGED, 'length')], missing: [] };
  expect(outcomeOf(GENERATION, cut, REFERENCE)).toMatchObject({ state: 'scored', score: 8 });
  expect(outcomeOf(GENERATION, cut)).toMatchObject({ state: 'open' });
});

describe('a call that is retried', () => {
  const revisions = { 'judge.t2': 1 };
  const again = entry('r1.judge.t2.a0', SCORED_8);

  test('is open until it is answered in that revision', () => {
    const found = read({ entries: [RESPONDED, BAD], missing: [], revisions });
    expect(found).toMatchObject([
      { step: 'respond', turn: '0', revision: 0, result: { state: 'given' } },
      { step: 'judge', turn: '2', revision: 1, result: { state: 'open' } },
    ]);
    expect(isRetried(found)).toBe(true);
  });

  test('is answered, or missing, as it is in that revision', () => {
    const answered = { entries: [RESPONDED, BAD, again], missing: [], revisions };
    expect(outcomeOf(GENERATION, answered)).toMatchObject({ state: 'scored', score: 8 });
    expect(isRetried(read(answered))).toBe(false);
    const inVain = { entries: [RESPONDED, JUDGED], missing: [NO_SCORE], revisions };
    expect(outcomeOf(GENERATION, inVain)).toMatchObject({ state: 'missing', missing: NO_SCORE });
  });

  test('says nothing of other calls that are open: these were never retried', () => {
    const found = read({ entries: [], missing: [], revisions });
    expect(found).toMatchObject([{ step: 'respond', result: { state: 'open' } }]);
    expect(isRetried(found)).toBe(false);
  });

  test('may be one of a study, of which each time that a response is judged again is a call', () => {
    const work = { kind: 'repeats' as const, ...TRIAL, judge: 2, times: 3, response: '0.0' };
    const calls = {
      entries: [{ ...entry('', SCORED_8), key: 'run/i1/m1/full/repeats2#r0.judge.t2.r2.a0' }],
      missing: [],
      revisions: { 'judge.t2.r3': 1 },
    };
    const found = readStudy(INPUTS, work, {}, calls);
    expect(found.map(({ turn, result: { state } }) => [turn, state])).toEqual([
      ['2.r2', 'given'],
      ['2.r3', 'open'],
    ]);
    expect(isRetried(found)).toBe(true);
  });
});

function read(calls: StoredCalls): readonly FoundCall[] {
  return readCell(INPUTS, TRIAL, GENERATION, { instance: INSTANCE }, calls);
}

function outcomeOf(cell: Cell, calls: StoredCalls, inputs = INPUTS): Outcome {
  return computeOutcome(
    cell,
    readCell(inputs, { ...TRIAL, context: cell.context }, cell, { instance: INSTANCE }, calls),
  );
}

function missing(step: EvaluationStep, turn: string, kind: string): MissingCall {
  return { step, turn, kind, cause: 'It would not.' };
}

function finish(one: JournalEntry, how: JournalEntry['answer']['finish']): JournalEntry {
  return { ...one, answer: { ...one.answer, finish: how } };
}

/** @param attempt such as `r0.judge.t2.a0`; the model that answers is named after the call */
function entry(attempt: string, text: string): JournalEntry {
  const model = attempt.replace(/^r\d+\./, '').replace(/\.a\d+$/, '');
  return buildJournalEntry(`run/i1/m1/full#${attempt}`, { text, model });
}
