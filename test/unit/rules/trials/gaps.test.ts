import type { FoundCall } from '../../../../rules/method/evaluation-reader';
import { conductStudy } from '../../../../rules/method/study';
import {
  beginFullTrial,
  listAskedCalls,
  listDependentCalls,
  listLostCalls,
  type EvaluationCallPlace,
} from '../../../../rules/trials/gaps';
import type { StoredCalls } from '../../../../schemas/evaluation/evaluation';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';
import type { JournalEntry } from '../../../../schemas/run/journal';
import { buildJournalEntry } from '../../../journal-entry';

const { steps } = evaluationSettingsSchema.parse({});
const PLAN = { run: 'run', models: ['openai:tested'], evaluators: ['openai:one', 'openai:two'], steps };
const TRIAL = beginFullTrial(PLAN, { instance: 1, model: 1, context: 'summary' });
const MATCHES = (decomposer: number) =>
  ['e1', 'p1', 'e2', 'p2'].flatMap((matcher) =>
    ['inferred', 'true'].map((list) => `match.t${decomposer}.${matcher}.${list}`),
  );
const OF_INFERENCE = ['decompose.t1', ...MATCHES(1), 'decompose.t2', ...MATCHES(2)];
const JUDGEMENTS = ['judge.t1', 'judge.t2'];

test.each<[EvaluationCallPlace, string[]]>([
  [{ step: 'summarize', turn: '0' }, ['infer.t0', ...OF_INFERENCE, 'choose.t0', 'respond.t0', ...JUDGEMENTS]],
  [{ step: 'infer', turn: '0' }, OF_INFERENCE],
  [{ step: 'decompose', turn: '1' }, MATCHES(1)],
  [{ step: 'respond', turn: '0' }, JUDGEMENTS],
  [{ step: 'match', turn: '1.e2.true' }, []],
  [{ step: 'judge', turn: '1' }, []],
])('on the answer of $step these calls are built, whichever cells there are', (on, expected) => {
  expect(listDependentCalls(TRIAL, [on]).map(nameOf).toSorted()).toEqual(expected.toSorted());
});

test('on a guess only the match of the same request is built', () => {
  const counts = { expressions: 1, guesses: 2, contradictions: 1 };
  const begin = () =>
    conductStudy(PLAN, { kind: 'verification', rows: [1], verifier: 1, round: 1, ...counts });
  expect(listDependentCalls(begin, [{ step: 'guess', turn: '2' }]).map(nameOf)).toEqual(['match.t2']);
});

describe('a call without an answer', () => {
  test('is lost when later ones were asked, and open when none was', () => {
    expect(listLost([entry('decompose.t1.a0')])).toEqual(['infer.t0']);
    expect(listLost([entry('respond.t0.a0')])).toEqual([]);
    expect(listLost([])).toEqual([]);
  });

  test('is lost when only a later attempt of its own is there', () => {
    expect(listLost([entry('infer.t0.a1')])).toEqual(['infer.t0']);
    expect(listLost([entry('infer.t0.a0'), entry('infer.t0.a1')], { attempt: 2 })).toEqual([]);
  });

  test('is open when what was built on it is superseded itself', () => {
    const revisions = { 'infer.t0': 1, 'decompose.t1': 1 };
    expect(listLost([entry('decompose.t1.a0')], { revisions, revision: 1 })).toEqual([]);
    expect(listLost([entry('decompose.t1.a0', 1)], { revisions, revision: 1 })).toEqual(['infer.t0']);
  });
});

test('what is asked again with a call is what was answered, or gave nothing, after it', () => {
  const calls: StoredCalls = {
    entries: [entry('decompose.t1.a0'), entry('decompose.t1.a1'), entry('respond.t0.a0')],
    missing: [{ step: 'match', turn: '1.e2.true', kind: 'bad-answers', cause: 'None.' }],
  };
  const dependents = listDependentCalls(TRIAL, [{ step: 'infer', turn: '0' }]);
  expect(listAskedCalls(calls, dependents).map(nameOf)).toEqual(['decompose.t1', 'match.t1.e2.true']);
  expect(listAskedCalls(calls).map(nameOf)).toEqual(['decompose.t1', 'respond.t0', 'match.t1.e2.true']);
});

function nameOf({ step, turn }: EvaluationCallPlace): string {
  return `${step}.t${turn}`;
}

function listLost(
  entries: readonly JournalEntry[],
  { revisions = {}, ...open }: Partial<FoundCall> & Pick<StoredCalls, 'revisions'> = {},
): string[] {
  const found: FoundCall = {
    step: 'infer',
    turn: '0',
    revision: 0,
    result: { state: 'open' },
    attempt: 0,
    ...open,
  };
  return listLostCalls(TRIAL, [found], { entries, missing: [], revisions }).map(nameOf);
}

function entry(place: string, revision = 0): JournalEntry {
  return buildJournalEntry(`run/i1/m1/summary#r${revision}.${place}`);
}
