import { listCellCalls, isRetried, computeOutcome } from '../../../../rules/trials/outcomes';
import { listStudyCalls } from '../../../../rules/trials/study-calls';
import type { Cell, MissingCall } from '../../../../schemas/evaluation/evaluation';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';
import type { Instance } from '../../../../schemas/dataset/instance';
import type { JournalEntry } from '../../../../schemas/run/journal';
import { renderFencedJson } from '../examples';

const MODEL = 'openai:tested';
const DECOMPOSER = 'openai:decomposer';
const MATCHER = 'openai:matcher';

const CELL: Cell = {
  task: 'inference',
  model: MODEL,
  context: 'full',
  decomposer: DECOMPOSER,
  matcher: { spec: MATCHER, form: 'evaluator' },
  selection: { limit: null, types: ['consistent'] },
};
const KEY = 'run/i1/m1/full#g0.';
const INPUTS = { settings: evaluationSettingsSchema.parse({}), evaluators: [DECOMPOSER, MATCHER] };
const CHECKLIST = ['Is every step numbered?'];
const INSTANCE: Instance = {
  persona_id: '1+baker',
  instance_type: 'consistent',
  current_request: 'How do I begin?',
  current_context_factor: 'Baking',
  current_contextual_preference: 'Numbered steps.',
  current_checklist: CHECKLIST,
  prior_interactions: [],
};

const INFERRED = entry('infer.t0', '### Most Likely Preference\n\nSteps with numbers.');
const DECOMPOSED = entry('decompose.t1', renderFencedJson({ checklist: CHECKLIST }));
const MATCHED = renderFencedJson({
  results: CHECKLIST.map((text, at) => ({ index: at + 1, entry: text, label: 'Fully Covered' })),
});
const REFUSED: MissingCall = {
  step: 'match',
  turn: '1.e2.inferred',
  kind: 'refused',
  cause: 'It would not.',
};

test('an inference that is matched both ways is scored', () => {
  const matches = [entry('match.t1.e2.inferred', MATCHED), entry('match.t1.e2.true', MATCHED)];
  const calls = { entries: [INFERRED, DECOMPOSED, ...matches], missing: [] };
  expect(computeOutcome(INPUTS, CELL, INSTANCE, calls)).toMatchObject({ state: 'scored' });
});

describe('an inference of which one match is missing', () => {
  test('is open while the other match is: what the row says must not depend on where a kill fell', () => {
    const calls = { entries: [INFERRED, DECOMPOSED], missing: [REFUSED] };
    expect(computeOutcome(INPUTS, CELL, INSTANCE, calls)).toMatchObject({ state: 'open' });
  });

  test('is missing when the other match is done, and says who answered that', () => {
    const entries = [INFERRED, DECOMPOSED, entry('match.t1.e2.true', MATCHED)];
    expect(computeOutcome(INPUTS, CELL, INSTANCE, { entries, missing: [REFUSED] })).toMatchObject({
      state: 'missing',
      missing: REFUSED,
      answeredBy: ['model of infer.t0', 'model of decompose.t1', 'model of match.t1.e2.true'],
    });
  });
});

const GENERATION: Cell = {
  task: 'generation',
  model: MODEL,
  context: 'full',
  judge: MATCHER,
  selection: { limit: null, types: ['consistent'] },
};
const RESPONDED = entry('respond.t0', ' Begin. ');
const JUDGED = entry('judge.t2', 'So.\n\n### Evaluation Score\n\n8');

describe('a call of which several answers are kept', () => {
  const again = { ...entry('judge.t2', 'So.\n\n### Evaluation Score\n\n3'), key: `${KEY}judge.t2.a10` };

  test('stands by the first that can be used, counted by asks and not by names', () => {
    const second = { ...JUDGED, key: `${KEY}judge.t2.a2` };
    const calls = { entries: [again, RESPONDED, second, entry('judge.t2', 'No score.')], missing: [] };
    expect(computeOutcome(INPUTS, GENERATION, INSTANCE, calls)).toMatchObject({
      state: 'scored',
      score: 8,
      analysis: 'So.',
      response: 'Begin.',
    });
  });

  test.each(['length', 'refused'] as const)('passes over one that ended by %s', (finish) => {
    const cut = { ...JUDGED, answer: { ...JUDGED.answer, finish } };
    const calls = { entries: [RESPONDED, cut, again], missing: [] };
    expect(computeOutcome(INPUTS, GENERATION, INSTANCE, calls)).toMatchObject({ state: 'scored', score: 3 });
  });

  test('is answered, where one can be used, whatever was reported missing before', () => {
    const missing: MissingCall = { step: 'judge', turn: '2', kind: 'bad-answers', cause: 'No score.' };
    const of = (entries: JournalEntry[]) =>
      computeOutcome(INPUTS, GENERATION, INSTANCE, { entries, missing: [missing] });
    expect(of([RESPONDED, JUDGED])).toMatchObject({ state: 'scored', score: 8 });
    expect(of([RESPONDED])).toMatchObject({ state: 'missing', missing, response: 'Begin.' });
  });
});

describe('a call that is retried', () => {
  const missing: MissingCall = { step: 'judge', turn: '2', kind: 'bad-answers', cause: 'No score.' };
  const bad = entry('judge.t2', 'No score.');
  const again = { ...JUDGED, key: `${KEY.replace('#g0', '#g1')}judge.t2.a0` };
  const revisions = { 'judge.t2': 1 };

  test('is open until it is answered in that revision, and begun with as far as its outcome goes', () => {
    const calls = { entries: [RESPONDED, bad], missing: [], revisions };
    expect(computeOutcome(INPUTS, GENERATION, INSTANCE, calls)).toMatchObject({ state: 'open' });
    const looked = listCellCalls(INPUTS, GENERATION, INSTANCE, calls);
    expect(looked).toMatchObject([
      { step: 'respond', turn: '0', revision: 0, found: { state: 'given' } },
      { step: 'judge', turn: '2', revision: 1, found: { state: 'open' } },
    ]);
    expect(isRetried(looked)).toBe(true);
  });

  test('is answered by what it was answered in that revision, and missing as it is missing there', () => {
    const answered = { entries: [RESPONDED, bad, again], missing: [], revisions };
    expect(computeOutcome(INPUTS, GENERATION, INSTANCE, answered)).toMatchObject({
      state: 'scored',
      score: 8,
    });
    expect(isRetried(listCellCalls(INPUTS, GENERATION, INSTANCE, answered))).toBe(false);
    const inVain = { entries: [RESPONDED, JUDGED], missing: [missing], revisions };
    expect(computeOutcome(INPUTS, GENERATION, INSTANCE, inVain)).toMatchObject({ state: 'missing', missing });
  });

  test('says nothing of other calls that are open: these were never retried', () => {
    const looked = listCellCalls(INPUTS, GENERATION, INSTANCE, { entries: [], missing: [], revisions });
    expect(looked).toMatchObject([{ step: 'respond', found: { state: 'open' } }]);
    expect(isRetried(looked)).toBe(false);
  });

  test('may be one of a study, of which each time that a response is judged again is a call', () => {
    const work = {
      kind: 'repeats' as const,
      instance: 1,
      model: 1,
      given: 'full' as const,
      judge: 2,
      times: 3,
      response: '0.0',
    };
    const calls = {
      entries: [entry('judge.t2.r2', JUDGED.answer.text)],
      missing: [],
      revisions: { 'judge.t2.r3': 1 },
    };
    const looked = listStudyCalls(INPUTS, work, [], calls);
    expect(looked.map(({ turn, found }) => [turn, found.state])).toEqual([
      ['2.r2', 'given'],
      ['2.r3', 'open'],
    ]);
    expect(isRetried(looked)).toBe(true);
  });
});

test('another evaluator’s answers never stand for this one’s', () => {
  const calls = { entries: [RESPONDED, entry('judge.t1', JUDGED.answer.text)], missing: [] };
  expect(computeOutcome(INPUTS, GENERATION, INSTANCE, calls)).toMatchObject({ state: 'open' });
});

describe('a context that is too long', () => {
  test('counts against the model under test where it is its own call, summaries included', () => {
    const respond = { entries: [], missing: [tooLong('respond', '0')] };
    expect(computeOutcome(INPUTS, GENERATION, INSTANCE, respond)).toMatchObject({ state: 'context-length' });
    const summarize = { entries: [], missing: [tooLong('summarize', '0')] };
    const onSummaries: Cell = { ...CELL, context: 'summary' };
    expect(computeOutcome(INPUTS, onSummaries, INSTANCE, summarize)).toMatchObject({
      state: 'context-length',
    });
  });

  test('of an evaluator leaves the score missing', () => {
    const judge = { entries: [RESPONDED], missing: [tooLong('judge', '2')] };
    expect(computeOutcome(INPUTS, GENERATION, INSTANCE, judge)).toMatchObject({ state: 'missing' });
  });
});

test('read as the reference reads, an empty inference is scored as nothing inferred, and a cut answer is taken', () => {
  const inputs = { ...INPUTS, settings: { ...INPUTS.settings, referenceCompatible: true } };
  const calls = { entries: [entry('infer.t0', 'Nothing.')], missing: [] };
  expect(computeOutcome(inputs, CELL, INSTANCE, calls)).toMatchObject({
    state: 'scored',
    preference: '',
    checklist: [],
    labels: { inferred: [], truth: [] },
  });
  expect(computeOutcome(INPUTS, CELL, INSTANCE, calls)).toMatchObject({ state: 'open' });
  const cut = { ...JUDGED, answer: { ...JUDGED.answer, finish: 'length' as const } };
  const judged = { entries: [RESPONDED, cut], missing: [] };
  expect(computeOutcome(inputs, GENERATION, INSTANCE, judged)).toMatchObject({ state: 'scored', score: 8 });
  expect(computeOutcome(INPUTS, GENERATION, INSTANCE, judged)).toMatchObject({ state: 'open' });
});

function tooLong(step: MissingCall['step'], turn: string): MissingCall {
  return { step, turn, kind: 'context-length', cause: 'Too long.' };
}

function entry(place: string, text: string): JournalEntry {
  return {
    key: `${KEY}${place}.a0`,
    request: '',
    settings: '',
    spec: MODEL,
    answer: { text, finish: 'complete', model: `model of ${place}`, usage: { input: 1, output: 1 } },
    milliseconds: 1,
  };
}
