import { buildModelTable } from '../../data/model-table';
import { readStudies, readStudySubject } from '../../data/run/evaluation-plan';
import { readSteering } from '../../data/run/steering';
import { listStoredCalls } from '../../data/run/stored-calls';
import { readAhead } from '../../data/store/read-ahead';
import { openScratchStore } from '../../data/store/scratch-store';
import type { Store } from '../../data/store/store';
import { STEP_FACTS, type EvaluationStep } from '../../schemas/run/step';
import { GoodAnswers } from '../../engine/costs/good-answers';
import { findPrice } from '../../engine/costs/prices';
import type { Amount } from '../../engine/costs/expected-tokens';
import { projectEvaluation, type EvaluationCalls, type PriceTerms } from '../../engine/costs/projection';
import { applySteering, type SteeringRequest } from '../../engine/limits/steering';
import { buildJournalKey, buildTrialId } from '../../engine/journal/key';
import { buildPlan } from '../../rules/method/evaluation-calls';
import {
  expectWork,
  findAnswered,
  listRetried,
  type ExpectedAttempt,
} from '../../rules/method/evaluation-reader';
import { conductStudy } from '../../rules/method/study';
import { evaluateTrial } from '../../rules/method/trial';
import { readTrialSubject } from '../../rules/method/trial-subject';
import { listCalledSpecs } from '../../rules/trials/cells';
import { OWN_STEPS } from '../../rules/trials/outcomes';
import { buildStudyId, buildTrialWork, listTrials, type Trial } from '../../rules/method/evaluation-work';
import { listPersonaQuestions } from '../../rules/method/verification-questions';
import type { StoredCalls } from '../../schemas/evaluation/evaluation';
import type { Todo } from '../../schemas/evaluation/evaluation-run';
import {
  listStudyWork,
  OPTIONAL_STUDY_KINDS,
  type OptionalStudyKind,
  type StudyKind,
  type StudyWork,
} from '../../schemas/evaluation/studies';
import { buildCostEstimate, getRemaining, type CostEstimate } from '../estimate/cost-estimate';
import { applySteeringAtRest } from '../control/at-rest';
import { readLedger } from '../estimate/ledgers';
import type { EvaluationRequest } from './evaluation-request';
import { readStoredEvaluation, type StoredEvaluation } from './outcomes';
import { createRequestMeter } from './request-length';
import { isFromOutcomes } from './studies';
import { storePlan } from './store-plan';

/** Estimate of an evaluation or a verification: the calls that a command has still to make. */
export interface EvaluationEstimate extends CostEstimate {
  /** The evaluated data, as messages name them. */
  readonly data: string;
  /** Instances that the command's work is about: all of them, and those with a call left. */
  readonly instances: { readonly all: number; readonly open: number };
  /** Studies that are drawn from outcomes which are still open, so that their calls are in no sum. */
  readonly undrawnStudies: readonly OptionalStudyKind[];
  /** Tokens that a provider's prompt cache may give, and the likely total with it, in US dollars; absent without any. */
  readonly cached?: { readonly tokens: number; readonly usd: number };
}

/** Receives how many trials are read. */
export type ReportTrials = (progress: { readonly done: number; readonly total: number }) => void;

/**
 * Estimates the calls of a command that is not carried out. The data, the plan and the retries go into a scratch store, as the command would
 * store them in its own. Calls no model, and writes nothing to the folder.
 * @param change of steering
 * @param batch whether calls go into batches
 * @throws InputError for a change that the run would reject
 */
export async function estimateEvaluation(
  request: Omit<EvaluationRequest, 'options' | 'named'>,
  change: SteeringRequest,
  batch: boolean,
  report: ReportTrials,
): Promise<EvaluationEstimate> {
  await using store = await openScratchStore(request.folder.store);
  // A folder without its run.json: nothing outside the store is written.
  const { run: _, ...unstarted } = request.folder;
  await storePlan(request, { ...unstarted, store });
  const estimate = await estimateStored(store, request, change, batch, report);
  // A finished evaluation rejects no change, because it makes no call.
  if (getRemaining(estimate).likely.calls > 0) {
    const models = listCalledSpecs(request.plan.inputs);
    applySteeringAtRest(await readSteering(store), change, { models, ledger: await readLedger(store) });
  }
  return estimate;
}

/**
 * Estimates the calls of a command whose plan is stored, by the script of each piece of work, which is followed to its end. Writes nothing.
 * @param change of steering
 * @param batch whether calls go into batches
 */
export async function estimateStored(
  base: Store,
  { before, todo, called, studies }: Pick<EvaluationRequest, 'before' | 'todo' | 'called' | 'studies'>,
  change: SteeringRequest,
  batch: boolean,
  report: ReportTrials,
): Promise<EvaluationEstimate> {
  // Studies are drawn into a scratch store, because the command draws them once their trials are done.
  await using store = await openScratchStore(base);
  const kinds = await studies(store);
  const evaluation = await readStoredEvaluation(store);
  const { inputs } = evaluation;
  const terms = before === undefined ? change : applySteering(await readSteering(store), change);
  const good = new GoodAnswers();
  const ledger = await readLedger(store, 'all', good);
  const { calls, repeatedTokens, instances } = await expectCallsOf(evaluation, { todo, kinds, good, report });
  const table = buildModelTable(terms);
  const projection = projectEvaluation(calls, inputs.settings.steps, ledger, {
    table,
    tiers: terms.tiers,
    batch,
  });
  const estimate = buildCostEstimate(projection, {
    run: inputs.id,
    models: called,
    isBegun: before !== undefined,
    terms,
  });
  const { likely } = getRemaining(estimate);
  return {
    ...estimate,
    // A batch is answered after prefixes are forgotten.
    ...(!batch && computeCached(repeatedTokens, likely.usd, { table, tiers: terms.tiers })),
    data: inputs.data.source,
    instances,
    undrawnStudies:
      instances.open === 0
        ? []
        : OPTIONAL_STUDY_KINDS.filter((kind) => todo.studies[kind] !== undefined && isFromOutcomes(kind)),
  };
}

/** Computes the cost if these tokens come from the cache, at models whose price for that is known; nothing if none is saved. */
function computeCached(
  repeatedTokens: ReadonlyMap<string, number>,
  usd: number,
  { table, tiers }: Pick<PriceTerms, 'table' | 'tiers'>,
): Pick<EvaluationEstimate, 'cached'> {
  const cached = { tokens: 0, usd };
  for (const [spec, tokens] of repeatedTokens) {
    const { input = 0, cachedRead = input } = findPrice(spec, table, tiers?.[spec]) ?? {};
    if (cachedRead >= input) continue;
    cached.tokens += tokens;
    cached.usd -= (tokens / 1e6) * (input - cachedRead);
  }
  return cached.tokens === 0 ? {} : { cached };
}

/** Expects the calls of all work that a command has to do, by step and model. */
async function expectCallsOf(
  evaluation: StoredEvaluation,
  {
    todo,
    kinds,
    good,
    report,
  }: {
    readonly todo: Todo;
    readonly kinds: readonly StudyKind[];
    readonly good: GoodAnswers;
    readonly report: ReportTrials;
  },
): Promise<ExpectedWork> {
  const { inputs, index, store } = evaluation;
  const tally = new CallTally(createRequestMeter(evaluation));
  const all = new Set<number>();
  const open = new Set<number>();
  const add = async (rows: readonly number[], attempts: readonly ExpectedAttempt[]) => {
    const isOpen = attempts.some(({ isStored }) => !isStored);
    for (const row of rows) {
      all.add(row);
      if (isOpen) open.add(row);
    }
    await tally.add(attempts);
  };
  const trials = listTrials({ ...inputs, cells: [...todo.cells] }, index);
  const listed = await listStoredCalls(evaluation);
  const expect = async (trial: Trial) => {
    const workflowId = buildTrialId(inputs.id, trial);
    const keys = new Set(await listed.findKeys(workflowId));
    // Nearly all trials that were begun are done, and their answers need not be read.
    const answeredAttempts =
      keys.size === 0
        ? undefined
        : findAnswered(
            evaluateTrial(buildPlan(inputs), buildTrialWork(inputs, trial)),
            (key) => keys.has(key) && good.has(key),
          );
    if (answeredAttempts !== undefined) return { trial, attempts: todo.onlyRetried ? [] : answeredAttempts };
    return { trial, attempts: await expectTrial(evaluation, trial, await listed.read(workflowId), todo) };
  };
  let doneTrials = 0;
  for await (const { trial, attempts } of readAhead(trials, READ_AT_ONCE, expect)) {
    await add([trial.instance], attempts);
    doneTrials += 1;
    report({ done: doneTrials, total: trials.length });
  }
  for (const study of listStudyWork(await readStudies(store), kinds)) {
    const calls = await listed.read(buildStudyId(inputs.id, study));
    await add(listRows(study), await expectStudy(evaluation, study, calls, todo));
  }
  const instances = { all: all.size, open: open.size };
  return { calls: tally.list(), repeatedTokens: tally.repeatedTokens, instances };
}

interface ExpectedWork extends Pick<EvaluationEstimate, 'instances'> {
  readonly calls: readonly EvaluationCalls[];
  readonly repeatedTokens: ReadonlyMap<string, number>;
}

/** Number of trials whose answers are read at once. */
const READ_AT_ONCE = 8;

/** Expects the calls of a trial, each once: several cells may depend on it. */
async function expectTrial(
  evaluation: StoredEvaluation,
  trial: Trial,
  calls: StoredCalls,
  { onlyStored, onlyRetried }: Pick<Todo, 'onlyStored' | 'onlyRetried'>,
): Promise<ExpectedAttempt[]> {
  const { inputs } = evaluation;
  if (onlyRetried && calls.revisions === undefined) return [];
  const subject = await readTrialSubject(evaluation, trial);
  const expected = new Map<string, ExpectedAttempt>();
  for (const cell of trial.cells) {
    const work = { ...buildTrialWork(inputs, { ...trial, cells: [cell] }), ...listRetried(calls) };
    const begin = () => evaluateTrial(buildPlan(inputs), work);
    const attempts = expectWork(begin, inputs.settings, subject, calls);
    const left = attempts.filter(({ isStored }) => !isStored);
    const isSkipped =
      (onlyStored && left.some(({ call }) => OWN_STEPS.has(call.step))) ||
      (onlyRetried && !isRetried(attempts));
    for (const attempt of attempts.filter(({ isStored }) => isStored || !isSkipped))
      expected.set(`${buildJournalKey({ ...attempt.call, attempt: 0 })} ${attempt.isStored}`, attempt);
  }
  return [...expected.values()];
}

async function expectStudy(
  evaluation: StoredEvaluation,
  work: StudyWork,
  calls: StoredCalls,
  { onlyRetried }: Pick<Todo, 'onlyRetried'>,
): Promise<ExpectedAttempt[]> {
  const { inputs } = evaluation;
  const { persona, pair } = await readStudySubject(evaluation, work);
  const subject = {
    ...(pair !== undefined && { pair }),
    ...(persona !== undefined && { questions: listPersonaQuestions(persona) }),
  };
  const begin = () => conductStudy(buildPlan(inputs), { ...work, ...listRetried(calls) });
  const attempts = expectWork(begin, inputs.settings, subject, calls);
  return onlyRetried && !isRetried(attempts) ? attempts.filter(({ isStored }) => isStored) : attempts;
}

/** Returns true if what is left depends on a call that is retried. */
function isRetried(attempts: readonly ExpectedAttempt[]): boolean {
  return attempts.some(({ call }) => call.revision > 0) && attempts.some(({ isStored }) => !isStored);
}

function listRows(work: StudyWork): readonly number[] {
  if (work.kind === 'verification') return work.rows;
  return 'instance' in work ? [work.instance] : [];
}

/** Sums expected calls and their tokens by step and model. */
class CallTally {
  /** Tokens of requests that show a history again, which one before in the same trial has shown, by SPEC. */
  readonly repeatedTokens = new Map<string, number>();
  readonly #calls = new Map<string, { -readonly [Field in keyof EvaluationCalls]: EvaluationCalls[Field] }>();

  constructor(private readonly measure: ReturnType<typeof createRequestMeter>) {}

  async add(attempts: readonly ExpectedAttempt[]): Promise<void> {
    let shownCount = 0;
    for (const { call, isStored, isCertain } of attempts) {
      const { step, spec } = call;
      const input = await this.measure(call);
      if (!isStored && SHOWING_STEPS.has(step) && input >= LEAST_CACHED) {
        if (shownCount > 0) this.repeatedTokens.set(spec, (this.repeatedTokens.get(spec) ?? 0) + input);
        shownCount += 1;
      }
      const key = `${step} ${spec}`;
      const stepCalls = this.#calls.get(key) ?? { step, spec, left: NONE, certain: 0, answered: NONE };
      if (!isStored && isCertain) stepCalls.certain += 1;
      const part = isStored ? 'answered' : 'left';
      stepCalls[part] = {
        calls: stepCalls[part].calls + 1,
        input: stepCalls[part].input + input,
        output: stepCalls[part].output + STEP_FACTS[step].typicalOutput,
      };
      this.#calls.set(key, stepCalls);
    }
  }

  list(): EvaluationCalls[] {
    return [...this.#calls.values()];
  }
}

/** Least tokens of a prefix that nearly all providers cache. */
const LEAST_CACHED = 1_024;

/** Steps whose request begins with the history. */
const SHOWING_STEPS: ReadonlySet<EvaluationStep> = new Set<EvaluationStep>(['infer', 'respond', 'choose']);

const NONE: Amount = { calls: 0, input: 0, output: 0 };
