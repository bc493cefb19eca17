import { planRegeneration, planRepair, planRetry } from '../../../../runs/synthesize/restarts';
import { planChosenRegeneration } from '../../../../runs/synthesize/plan';
import type { RunPlan } from '../../../../data/run/inputs';
import type { FailedWork } from '../../../../schemas/run/outcome';
import type { Restart } from '../../../../schemas/run/restart';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';

const RUN = 'cupid-1a2b3c4d';

const OF_BATCH: FailedWork = { ...failed(4), workflowId: RUN, step: 'describe', turn: 1 };
const OF_PLAN: FailedWork = { ...failed(9), step: 'checklist', turn: 2 };
const OF_USER: FailedWork = { ...failed(17, 3), step: 'user', turn: 5 };
const OF_ASSISTANT: FailedWork = { ...failed(17, 8), step: 'assistant', turn: 2 };
/** Terminated by a user: it failed at no call. */
const ENDED: FailedWork = failed(20, 1);
const ALL = [[OF_BATCH], [OF_PLAN], [OF_USER, OF_ASSISTANT], [ENDED]];

describe('a retry', () => {
  test('begins with the calls that failed, in the next revision of each persona', () => {
    const before: Restart = { persona: 9, step: 'journey', turn: 0, revision: 1 };
    const failures = [[OF_BATCH], [{ ...OF_PLAN, revision: 1 }], [OF_USER, OF_ASSISTANT], [ENDED]];
    const { plan, resumed } = planRetry(planWith(before), failures, {}, true);
    expect(plan.inputs.restarts).toEqual([
      before,
      { persona: 4, step: 'describe', turn: 0, revision: 1 },
      { persona: 9, step: 'checklist', turn: 2, revision: 2 },
      { persona: 17, session: 3, step: 'user', turn: 5, revision: 1 },
      { persona: 17, session: 8, step: 'assistant', turn: 2, revision: 1 },
    ]);
    expect(resumed).toEqual([20]);
  });

  test('names the part of a journey that failed', () => {
    const work: FailedWork = { ...failed(5), step: 'journey', turn: 3 };
    const { plan, lines } = planRetry(planWith(), [[work]], {}, true);
    expect(plan.inputs.restarts).toEqual([{ persona: 5, step: 'journey', turn: 3, revision: 1 }]);
    expect(lines).toEqual(['Retrying persona 5, from step journey part 3.']);
  });

  test.each([
    ['17', [3, 8]],
    ['p17', [3, 8]],
    ['17/s3', [3]],
    [`${RUN}/p17/s8`, [8]],
    [`${RUN}/p17`, [3, 8]],
  ])('of %s is of that alone', (id, sessions) => {
    const { plan } = planRetry(planWith(), ALL, { only: [id] }, true);
    expect(plan.inputs.restarts.map(({ session }) => session)).toEqual(sessions);
  });

  test('from an earlier turn begins with its assistant, and another model plays the part that failed', () => {
    const wish = { only: ['17/s3'], fromTurn: 2, model: 'openai:other' };
    const { plan, lines } = planRetry(planWith(), ALL, wish, true);
    const model = { role: 'user', spec: 'openai:other' };
    expect(plan.inputs.restarts).toEqual([
      { persona: 17, session: 3, step: 'assistant', turn: 2, revision: 1, model },
    ]);
    expect(lines).toEqual([
      'Retrying persona 17, session 3, from turn 2, with openai:other.',
      expect.stringContaining(
        '(--user-model). The others stay: --model (openai:some), --assistant-model (openai:some).',
      ),
    ]);
  });

  test('from a turn begins each dialogue there, or where it failed if that is earlier, and says which', () => {
    const { plan, resumed, lines } = planRetry(planWith(), ALL, { fromTurn: 4 }, true);
    expect(plan.inputs.restarts).toEqual([
      { persona: 4, step: 'describe', turn: 0, revision: 1 },
      { persona: 9, step: 'checklist', turn: 2, revision: 1 },
      { persona: 17, session: 3, step: 'assistant', turn: 4, revision: 1 },
      { persona: 17, session: 8, step: 'assistant', turn: 2, revision: 1 },
    ]);
    expect(resumed).toEqual([20]);
    expect(lines).toEqual([
      'Retrying persona 4, from step describe, where it failed.',
      'Retrying persona 9, from step checklist 2, where it failed.',
      'Retrying persona 17, session 3, from turn 4.',
      'Retrying persona 17, session 8, from turn 2, where it failed.',
      'Retrying persona 20, session 1, continuing from the journal.',
    ]);
  });

  test('leaves what the journal is damaged for to the repair, and says so', () => {
    const damaged: FailedWork = { ...OF_PLAN, kind: 'journal-damaged' };
    const { plan, lines } = planRetry(planWith(), [[damaged], [OF_USER]], {}, true);
    expect(plan.inputs.restarts.map(({ persona }) => persona)).toEqual([17]);
    expect(lines.at(-1)).toContain('Not retrying persona 9: the journal is damaged there.');
    expect(() => planRetry(planWith(), [[damaged]], {}, true)).toThrow(
      'persona 9 failed because the journal is damaged. Run cupid retry RUN --damaged',
    );
  });

  test('that fails again is retried from there', () => {
    const first = planRetry(planWith(), [[OF_USER]], { fromTurn: 2 }, true);
    const again = { ...OF_USER, turn: 4, revision: 1 };
    const second = planRetry(first.plan, [[again]], {}, true);
    expect(second.plan.inputs.restarts.at(-1)).toMatchObject({ step: 'user', turn: 4, revision: 2 });
  });

  test('does nothing over that was restarted since it failed', () => {
    const since: Restart = { persona: 17, session: 3, step: 'user', turn: 5, revision: 1 };
    expect(planRetry(planWith(since), [[OF_USER]], {}, true)).toMatchObject({ resumed: [], lines: [] });
  });

  test.each<[string, Parameters<typeof planRetry>[2], string]>([
    ['a model where none failed', { only: ['20'], model: 'openai:other' }, 'did not fail at a model call'],
    ['a persona there is not', { only: ['31'] }, `31: run ${RUN} has personas 1 to 30.`],
    ['what is no id', { only: ['s3'] }, `s3: run ${RUN} has personas 1 to 30.`],
    ['what did not fail', { only: ['17/s4'] }, '17/s4 did not fail. What failed: 4, 9, 17/s3, 17/s8, 20/s1.'],
  ])('refuses %s, and says what there is', (_, wish, problem) => {
    expect(() => planRetry(planWith(), ALL, wish, true)).toThrow(problem);
  });

  test('that is given again while it is under way does not take what is running for a mistake', () => {
    expect(planRetry(planWith(), [], { only: ['17/s3'] }, false)).toMatchObject({ lines: [] });
  });
});

const gap = (persona: number, step: 'describe' | 'factors' | 'user', turn: number, session?: number) => ({
  call: { persona, step, turn, ...(session === undefined ? {} : { session }) },
  key: `${RUN}/p${persona}${session === undefined ? '' : `/s${session}`}#r0.${step}.t${turn}.a0`,
});
const damage = (key: string) => ({ key, name: 'journal/file.json', problem: 'it is empty' });
const changed = (work: FailedWork): FailedWork => ({ ...work, kind: 'answer-changed' });

describe('a repair of the journal', () => {
  test('asks again from each answer that later ones were built on, and continues without what is needed no more', () => {
    const gaps = [gap(2, 'user', 3, 5), gap(4, 'describe', 1), gap(5, 'describe', 1)];
    const unneeded = damage(`${RUN}/p7#r0.factors.t0.a0`);
    const pack = { key: `${RUN}/p8#`, name: 'packs/file.jsonl', problem: 'it does not end with its SHA-256' };
    const check = { entries: 90, gaps, damaged: [damage(gaps[0]?.key ?? ''), unneeded, pack] };
    const failures = [[{ ...failed(7), kind: 'journal-damaged' }], [OF_PLAN]];
    const { plan, resumed, damaged, lines } = planRepair(planWith(), check, failures);
    expect(plan.inputs.restarts).toEqual([
      { persona: 2, session: 5, step: 'user', turn: 3, revision: 1 },
      { persona: 4, step: 'describe', turn: 0, revision: 1 },
      { persona: 5, step: 'describe', turn: 0, revision: 1 },
    ]);
    expect({ resumed, damaged }).toEqual({ resumed: [7], damaged: check.damaged });
    expect(lines).toEqual([
      `Damaged: ${gaps[0]?.key} (.cupid/journal/file.json): it is empty. The call and everything built on its answer are repeated. The file is moved to .cupid/damaged/.`,
      `Damaged: ${unneeded.key} (.cupid/journal/file.json): it is empty. No unfinished work was built on its answer, so at most this call is repeated. The file is moved to .cupid/damaged/.`,
      `Damaged: ${pack.key} (.cupid/packs/file.jsonl): it does not end with its SHA-256. None of its answers can be read; those that unfinished work needs are listed as missing. The file is moved to .cupid/damaged/.`,
      `Missing: ${gaps[1]?.key}. The call and everything built on its answer are repeated.`,
      `Missing: ${gaps[2]?.key}. The call and everything built on its answer are repeated.`,
      'Checked the journal: 90 entries are intact, 3 damaged, 2 missing.',
    ]);
  });

  test('begins at the earliest of what a persona lacks, and where an earlier answer has changed', () => {
    const gaps = [gap(17, 'factors', 0), gap(17, 'user', 3, 5)];
    const check = { entries: 9, gaps, damaged: [] };
    const failures = [[changed(OF_PLAN)], [changed(OF_USER)]];
    expect(planRepair(planWith(), check, failures).plan.inputs.restarts).toEqual([
      { persona: 17, step: 'factors', turn: 0, revision: 1 },
      { persona: 9, step: 'checklist', turn: 2, revision: 1 },
    ]);
  });
});

describe('a regeneration', () => {
  test('begins with the context factors, or with the description', () => {
    const factors = planRegeneration(planWith(), { personas: [17, 4, 17], redescribe: false }, true);
    expect(factors.plan.inputs.restarts).toEqual([
      { persona: 4, step: 'factors', turn: 0, revision: 1 },
      { persona: 17, step: 'factors', turn: 0, revision: 1 },
    ]);
    const described = planRegeneration(factors.plan, { personas: [17], redescribe: true }, true);
    expect(described.plan.inputs.restarts.slice(2)).toEqual([
      { persona: 17, step: 'describe', turn: 0, revision: 2 },
    ]);
  });

  test('that is given again while it is under way is not done twice', () => {
    const wish = { personas: [4, 17], redescribe: false };
    const first = planRegeneration(planWith(), wish, true);
    expect(planRegeneration(first.plan, wish, false).plan).toBe(first.plan);
    expect(planRegeneration(first.plan, wish, true).plan.inputs.restarts).toHaveLength(4);
    const other = planRegeneration(first.plan, { personas: [17], redescribe: true }, false);
    expect(other.plan.inputs.restarts).toHaveLength(3);
  });

  test('of personas that the run does not have yet names them', () => {
    const [before, chosen] = [planWith(), { only: [4, 31, 42, 31], outputDir: 'out' }];
    const { inputs } = before;
    const grown = { ...before, inputs: { ...inputs, settings: { ...inputs.settings, nPersonas: 50 } } };
    expect(() => planChosenRegeneration(chosen, {}, before, grown)).toThrow(
      `--only 31, 42: run ${RUN} has personas 1 to 30. Name personas by these numbers.`,
    );
  });
});

function failed(persona: number, session?: number): FailedWork {
  return {
    workflowId: session === undefined ? `${RUN}/p${persona}` : `${RUN}/p${persona}/s${session}`,
    persona,
    ...(session === undefined ? {} : { session }),
    kind: 'bad-answers',
    cause: 'No usable answer.',
    reasons: [],
  };
}

function planWith(...restarts: readonly Restart[]): RunPlan {
  const model = 'openai:some';
  return {
    inputs: {
      id: RUN,
      settings: synthesisSettingsSchema.parse({
        nPersonas: 30,
        models: { synthesis: model, user: model, assistant: model },
      }),
      seeds: { origin: 'built-in', source: 'built-in', count: 30, hash: '' },
      prompts: { source: 'built-in', hash: '' },
      growth: [30],
      restarts: [...restarts],
    },
    templates: [],
    prompts: { source: 'built-in', hash: '', prompts: {} },
  };
}
