import {
  listDependentCalls,
  isDependent,
  listLostCalls,
  type TrialCall,
} from '../../../../rules/trials/gaps';
import type { StoredCalls, CallLookup } from '../../../../rules/trials/outcomes';
import type { JournalEntry } from '../../../../schemas/run/journal';

const TRIAL = 'run/i1/m1/summary';
const CALLS: readonly TrialCall[] = [
  { step: 'summarize', turn: '0' },
  { step: 'infer', turn: '0' },
  { step: 'decompose', turn: '1' },
  { step: 'match', turn: '1.e2.inferred' },
  { step: 'match', turn: '1.e2.true' },
  { step: 'match', turn: '12.e2.true' },
  { step: 'respond', turn: '0' },
  { step: 'judge', turn: '1' },
  { step: 'judge', turn: '1.r2' },
  { step: 'classify', turn: '3' },
];
const nameOf = ({ step, turn }: TrialCall) => `${step}.t${turn}`;

test.each<[string, string[]]>([
  ['summarize.t0', CALLS.slice(1).map(nameOf)],
  ['infer.t0', CALLS.filter(({ step }) => ['decompose', 'match', 'classify'].includes(step)).map(nameOf)],
  ['decompose.t1', ['match.t1.e2.inferred', 'match.t1.e2.true']],
  ['respond.t0', ['judge.t1', 'judge.t1.r2']],
  ['match.t1.e2.true', []],
  ['judge.t1', []],
  ['classify.t3', []],
])('on the answer of %s these calls are built', (on, expected) => {
  const call = CALLS.find((one) => nameOf(one) === on);
  expect(CALLS.filter((one) => call !== undefined && isDependent(one, call)).map(nameOf)).toEqual(expected);
});

describe('a call without an answer', () => {
  test('is lost when later ones were asked, and open when none was', () => {
    expect(lost([entry('decompose.t1.a0')])).toEqual(['infer.t0']);
    expect(lost([entry('respond.t0.a0')])).toEqual([]);
    expect(lost([])).toEqual([]);
  });

  test('is lost when only a later ask of its own is there', () => {
    expect(lost([entry('infer.t0.a1')])).toEqual(['infer.t0']);
    expect(lost([entry('infer.t0.a0'), entry('infer.t0.a1')])).toEqual([]);
  });

  test('is open when what was built on it is superseded itself', () => {
    const revisions = { 'infer.t0': 1, 'decompose.t1': 1 };
    expect(lost([entry('decompose.t1.a0')], revisions, 1)).toEqual([]);
    expect(lost([entry('decompose.t1.a0', 1)], revisions, 1)).toEqual(['infer.t0']);
  });
});

test('what is asked again with a call is what was answered, or gave nothing, after it', () => {
  const calls: StoredCalls = {
    entries: [entry('decompose.t1.a0'), entry('decompose.t1.a1'), entry('respond.t0.a0')],
    missing: [{ step: 'match', turn: '1.e2.true', kind: 'bad-answers', cause: 'None.' }],
  };
  expect(listDependentCalls({ step: 'infer', turn: '0' }, calls).map(nameOf)).toEqual([
    'decompose.t1',
    'match.t1.e2.true',
  ]);
});

function lost(
  entries: readonly JournalEntry[],
  revisions: StoredCalls['revisions'] = {},
  revision = 0,
): string[] {
  const looked: CallLookup = { step: 'infer', turn: '0', revision, found: { state: 'open' } };
  return listLostCalls([looked], { entries, missing: [], revisions }).map(nameOf);
}

function entry(place: string, revision = 0): JournalEntry {
  return {
    key: `${TRIAL}#g${revision}.${place}`,
    request: '',
    settings: '',
    spec: 'openai:some',
    answer: { text: '', finish: 'complete', model: 'm', usage: {} },
    milliseconds: 1,
  };
}
