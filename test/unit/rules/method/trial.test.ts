import { conductStudy } from '../../../../rules/method/study';
import { computeCallsPerTrial, countCalls, evaluateTrial } from '../../../../rules/method/trial';
import type { WorkResult } from '../../../../rules/method/evaluation-calls';
import type { EvaluationCall } from '../../../../rules/method/evaluation-rules';
import type { AttemptOutcome, Script } from '../../../../rules/method/script';
import type { RetriedCalls, TrialWork } from '../../../../rules/method/evaluation-work';
import type { Cell } from '../../../../schemas/evaluation/evaluation';
import type { StudyWork } from '../../../../schemas/evaluation/studies';
import { evaluationStepsSchema } from '../../../../schemas/run/settings';
import { BAD, follow, nameAttempt, REFUSED, RUN } from './follow';

const steps = evaluationStepsSchema.parse({
  infer: { maxRepairs: 0, maxSamples: 1 },
  decompose: { maxRepairs: 0, maxSamples: 1 },
});
const PLAN = {
  run: RUN,
  models: ['m:1', 'm:2'],
  evaluators: ['e:1', 'e:2'],
  steps,
  memory: 'memory:module:./m.mjs',
};
const PREFMATCHER = { number: 2, form: 'prefmatcher' as const };
const INFERENCE = { decomposer: 1, matchers: [PREFMATCHER] };
const BOTH: TrialWork = { instance: 4, model: 2, context: 'full', inferences: [INFERENCE], judges: [1, 2] };
const EMPTY: AttemptOutcome = { state: 'good', facts: { isEmpty: true } };
const UNREACHABLE: AttemptOutcome = { state: 'unanswered', kind: 'auth' };

const usual = ({ step }: EvaluationCall): AttemptOutcome =>
  step === 'infer' || step === 'guess' ? { state: 'good', facts: { isEmpty: false } } : { state: 'good' };

/** Returns the calls of a trial or a study, without their workflow, and its result. */
async function evaluate(
  work: TrialWork | (StudyWork & RetriedCalls),
  outcomes: Record<string, AttemptOutcome> = {},
) {
  const script: Script<WorkResult, EvaluationCall> =
    'kind' in work ? conductStudy(PLAN, work) : evaluateTrial(PLAN, work);
  const { result, made, ...followed } = await follow(script, outcomes, usual);
  return {
    ...followed,
    made: made.map((name) => name.replace(/^.*#/, '')),
    missing: result?.missing.map((failure) => `${nameAttempt(failure).replace(/^.*#/, '')} ${failure.kind}`),
  };
}

const MATCHES = ['r0.match.t1.p2.inferred.a0', 'r0.match.t1.p2.true.a0'];
const INFERRED = ['r0.decompose.t1.a0', ...MATCHES];
const RESPONDED = ['r0.respond.t0.a0', 'r0.judge.t1.a0', 'r0.judge.t2.a0'];
const at = (call: string) => `i4/m2/full#r0.${call}`;

test.each<Partial<TrialWork>>([
  {},
  { judges: [] },
  { inferences: [] },
  { context: 'summary', chooses: true },
  { context: 'memory', inferences: [INFERENCE, { decomposer: 2, matchers: [PREFMATCHER, PREFMATCHER] }] },
])('its calls are known before it begins: %j', async (change) => {
  const work = { ...BOTH, ...change };
  expect((await evaluate(work)).made).toHaveLength(countCalls(work));
});

test('the mean is over models and forms of the history', () => {
  const cell = { model: 'm:1', context: 'full' as const, selection: { limit: null, types: [] } };
  const matcher = { spec: 'e:2', form: 'prefmatcher' as const };
  const cells: Cell[] = [
    { ...cell, task: 'inference', decomposer: 'e:1', matcher },
    { ...cell, task: 'generation', judge: 'e:1' },
    { ...cell, task: 'generation', judge: 'e:1', context: 'none' },
  ];
  expect(computeCallsPerTrial({ evaluators: ['e:1', 'e:2'], cells })).toBe((6 + 2) / 2);
});

describe('a trial', () => {
  test.each<
    [string, Partial<TrialWork>, Record<string, AttemptOutcome>, readonly string[], readonly string[]]
  >([
    ['both tasks', {}, {}, ['r0.infer.t0.a0', ...INFERRED, ...RESPONDED], []],
    ['inference alone', { judges: [] }, {}, ['r0.infer.t0.a0', ...INFERRED], []],
    ['generation alone', { inferences: [] }, {}, RESPONDED, []],
    [
      'an empty inference matches nothing',
      {},
      { [at('infer.t0.a0')]: EMPTY },
      ['r0.infer.t0.a0', ...RESPONDED],
      [],
    ],
    [
      'a missing inference: generation continues',
      {},
      { [at('infer.t0.a0')]: BAD },
      ['r0.infer.t0.a0', ...RESPONDED],
      ['r0.infer.t0.a0 bad-answers'],
    ],
    [
      'a missing checklist: no match',
      { judges: [] },
      { [at('decompose.t1.a0')]: REFUSED },
      ['r0.infer.t0.a0', 'r0.decompose.t1.a0'],
      ['r0.decompose.t1.a0 refused'],
    ],
    [
      'a missing response: no judgment',
      { inferences: [] },
      { [at('respond.t0.a0')]: { state: 'unanswered', kind: 'context-length' } },
      ['r0.respond.t0.a0'],
      ['r0.respond.t0.a0 context-length'],
    ],
    [
      'retried calls',
      { inferences: [], revisions: { 'judge.t2': 3 } },
      {},
      [...RESPONDED.slice(0, 2), 'r3.judge.t2.a0'],
      [],
    ],
  ])('%s', async (_, work, outcomes, made, missing) => {
    const followed = await evaluate({ ...BOTH, ...work }, outcomes);
    expect(followed.made.toSorted()).toEqual(made.toSorted());
    expect(followed.missing).toEqual(missing);
  });

  test('with summaries writes them first, and is given them', async () => {
    const { made, calls } = await evaluate({ ...BOTH, context: 'summary' });
    expect(made.slice(0, 2)).toEqual(['r0.summarize.t0.a0', 'r0.infer.t0.a0']);
    const shown = calls.filter(({ step }) => step === 'infer' || step === 'respond');
    expect(shown).toMatchObject([
      { prepared: '0.0', isShared: true },
      { prepared: '0.0', isShared: true },
    ]);
  });

  test('with a memory system asks it first, and is given its context', async () => {
    const { made, calls } = await evaluate({ ...BOTH, context: 'memory' });
    expect(made.slice(0, 2)).toEqual(['r0.recall.t0.a0', 'r0.infer.t0.a0']);
    expect(calls.find(({ step }) => step === 'recall')).toMatchObject({ spec: 'memory:module:./m.mjs' });
    const shown = calls.filter(({ step }) => step === 'infer' || step === 'respond');
    expect(shown).toMatchObject([{ prepared: '0.0' }, { prepared: '0.0' }]);
  });

  test('without its summaries asks for nothing else', async () => {
    const { made, missing } = await evaluate(
      { ...BOTH, context: 'summary' },
      { 'i4/m2/summary#r0.summarize.t0.a0': REFUSED },
    );
    expect({ made, missing }).toEqual({
      made: ['r0.summarize.t0.a0'],
      missing: ['r0.summarize.t0.a0 refused'],
    });
  });

  test('the model infers and responds, evaluators do the rest', async () => {
    const { calls } = await evaluate(BOTH);
    const asked = new Set(calls.map(({ step, spec }) => `${step} ${spec}`));
    const evaluated = ['decompose e:1', 'match e:2', 'judge e:1', 'judge e:2'];
    expect([...asked].toSorted()).toEqual(['infer m:2', 'respond m:2', ...evaluated].toSorted());
  });

  test('stays open where a call fails for what is no fault of the answer, and the rest is asked for', async () => {
    const { made, missing, failed } = await evaluate(BOTH, { [at('decompose.t1.a0')]: UNREACHABLE });
    expect({ missing, failed }).toEqual({ missing: undefined, failed: [`${at('decompose.t1.a0')} auth`] });
    expect(made).toEqual(expect.arrayContaining(RESPONDED));
  });
});

describe('a study', () => {
  const trial = { instance: 4, model: 2, context: 'full' as const };
  const verification = { kind: 'verification' as const, rows: [4, 5, 6], verifier: 2, round: 1 as const };
  const pair = { id: 'x', preference: 'Short.', checklist: ['Is it short?'], matcher: PREFMATCHER };

  test.each<[string, StudyWork, Record<string, AttemptOutcome>, readonly string[]]>([
    [
      'judges a response again, from the second time on',
      { kind: 'repeats', ...trial, judge: 1, times: 3, response: '0.1' },
      {},
      ['r0.judge.t1.r2.a0', 'r0.judge.t1.r3.a0'],
    ],
    [
      "judges a response on another row's checklist",
      { kind: 'crossed', ...trial, judge: 1, response: '0.1', row: 6 },
      {},
      ['r0.judge.t1.a0'],
    ],
    [
      'names the error of an inference',
      { kind: 'error', ...trial, labeller: 2, inference: '0.0' },
      {},
      ['r0.classify.t2.a0'],
    ],
    ['matches a pair that people labeled', { kind: 'pair', ...pair }, {}, ['r0.match.tp2.a0']],
    [
      'verifies a persona; a guess of nothing is not matched',
      { ...verification, expressions: 1, contradictions: 1, guesses: 2 },
      { 'v4#r0.guess.t1.a0': EMPTY },
      ['r0.express.t1.a0', 'r0.contradict.t1.a0', 'r0.guess.t1.a0', 'r0.guess.t2.a0', 'r0.match.t2.a0'],
    ],
  ])('%s', async (_, work, outcomes, made) => {
    const followed = await evaluate(work, outcomes);
    expect(followed).toMatchObject({ made, missing: [] });
  });
});
