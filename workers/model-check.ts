import { openLedger } from '../data/run/ledger';
import { writeLearnedModel } from '../data/run/learned-models';
import { readBuiltInTable } from '../data/model-table';
import type { Store } from '../data/store/store';
import { createKnowledge, type Knowledge } from '../models/adapting-model';
import { ModelError } from '../models/errors/error';
import type { Model, ModelAnswer, ModelRequest } from '../models/model';
import { openModel } from '../models/open';
import { readRetirementDate } from '../models/retirement-date';
import { LedgerTally } from '../engine/costs/ledger';
import type { Ledger, LedgerLine } from '../schemas/run/ledger';
import { estimateCall } from '../engine/costs/call-estimate';
import { findUsageProblem } from '../engine/costs/usage-problem';
import { collectFacts } from '../engine/model-facts/facts';
import { findRetirement, getToday, type Retirement } from '../engine/model-facts/dates';
import type { ModelUse } from '../engine/model-facts/uses';
import { parseModelSpec } from '../schemas/model/model-spec';
import type { ModelEntry, ModelFacts } from '../schemas/model/model-table';
import { isService } from '../schemas/model/provider';
import { omitUndefined } from '../schemas/omit-undefined';
import type { Step } from '../schemas/run/step';
import type { SingleTier } from '../schemas/model/tier';
import type { TierSteering } from '../schemas/run/steering';
import { openKnowledge } from './model-knowledge';
import { createWorkerName } from '../activities/run-ledger';

/** Result of one short call to a model. */
export interface CheckedModel {
  readonly spec: string;
  readonly tier: SingleTier;
  readonly durationMs: number;
  /** The model's answer, whatever its content; or the error. */
  readonly outcome: ModelAnswer | ModelError;
  /** Present if the model was retired, or will be soon. */
  readonly retirement?: Retirement;
}

/** A check of a run's models, not stored yet. */
export interface ModelCheck {
  readonly models: readonly CheckedModel[];
  /** Facts learned from rejected parameters. */
  readonly learned: readonly ModelEntry[];
}

/**
 * Returns the models of providers, each once, with the step whose form its chat template is most likely to reject. Other models cost
 * nothing, and need no key.
 */
export function listUsesToCheck(uses: readonly ModelUse[]): ModelUse[] {
  const bySpec = new Map<string, ModelUse>();
  for (const use of uses) {
    const { provider } = parseModelSpec(use.spec);
    if (!isService(provider)) continue;
    const { step, ...first } = bySpec.get(use.spec) ?? use;
    const hardest = [use.step, step].toSorted((a, b) => rankForm(b) - rankForm(a))[0];
    bySpec.set(use.spec, { ...first, ...(hardest === undefined ? {} : { step: hardest }) });
  }
  return [...bySpec.values()];
}

function rankForm(step: Step | undefined): number {
  if (step === 'user') return 2;
  return step !== undefined && LONG_STEPS.has(step) ? 1 : 0;
}

/** Steps whose prompts contain a whole history or dialogue. */
const LONG_STEPS: ReadonlySet<Step> = new Set([
  'user',
  'summarize',
  'infer',
  'choose',
  'respond',
  'express',
  'guess',
]);

/**
 * Makes one short call to each model, in the form of the run's calls. Writes nothing.
 * @param onLearned called when a provider rejects a parameter
 * @param today as YYYY-MM-DD
 */
export async function checkRunModels(
  store: Store,
  steering: Parameters<typeof openKnowledge>[1] & TierSteering,
  uses: readonly ModelUse[],
  {
    onLearned,
    ...environment
  }: CheckEnvironment & { readonly onLearned: (spec: string, facts: ModelFacts, evidence: string) => void },
): Promise<ModelCheck> {
  const learned: ModelEntry[] = [];
  const knowledge = await openKnowledge(store, steering, onLearned, async (entry) => {
    learned.push(entry);
  });
  const models = await Promise.all(
    uses.map((use) =>
      checkModel(use, steering.tiers?.[use.spec] ?? 'standard', knowledge(use.spec), environment),
    ),
  );
  return { models, learned };
}

/** Checks models that belong to no run in the same way. */
export async function checkNamedModels(
  uses: readonly ModelUse[],
  environment: CheckEnvironment,
): Promise<CheckedModel[]> {
  return Promise.all(
    uses.map((use) =>
      checkModel(use, 'standard', createKnowledge(collectFacts(use.spec, readBuiltInTable())), environment),
    ),
  );
}

/** Environment with keys and base URLs, the signal that stops the check, and the current day. */
interface CheckEnvironment {
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly today: string;
}

/** Makes one short call to a model of a run that is in progress, and stores its usage. Returns true if it is answered. */
export async function answersCheck(
  store: Store,
  use: ModelUse,
  tier: SingleTier,
  options: {
    readonly knowledge: Knowledge;
    readonly environment: NodeJS.ProcessEnv;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const checked = await checkModel(use, tier, options.knowledge, { ...options, today: getToday() });
  await writeModelCheck(store, { models: [checked], learned: [] });
  return !(checked.outcome instanceof ModelError);
}

async function checkModel(
  use: ModelUse,
  tier: SingleTier,
  knowledge: Knowledge,
  { environment, signal, today }: CheckEnvironment,
): Promise<CheckedModel> {
  const { spec } = use;
  const parsed = parseModelSpec(spec);
  const [called, date] = await Promise.all([
    callOnce(() => openModel(parsed, environment, { knowledge, timeoutMs: CHECK_TIMEOUT_MS }), {
      request: buildCheckQuestion(use),
      tier,
      signal,
    }),
    readRetirementDate(parsed, environment, signal),
  ]);
  const { retires, successor } = knowledge.facts();
  const retirement = findRetirement({ retires: date ?? retires, successor }, today);
  return { spec, tier, ...called, ...(retirement === undefined ? {} : { retirement }) };
}

async function callOnce(
  open: () => Promise<Model>,
  {
    request,
    tier,
    signal,
  }: { readonly request: ModelRequest; readonly tier: SingleTier; readonly signal: AbortSignal },
): Promise<Pick<CheckedModel, 'outcome' | 'durationMs'>> {
  const start = performance.now();
  const buildResult = (outcome: CheckedModel['outcome']) => ({
    outcome,
    durationMs: Math.round(performance.now() - start),
  });
  try {
    return buildResult(await (await open()).ask(request, signal, { tier }));
  } catch (error) {
    if (error instanceof ModelError) return buildResult(error);
    throw error;
  }
}

/** Stores the usage and the learned facts of a check, so that the run counts and uses them. Returns the ledger of its calls. */
export async function writeModelCheck(store: Store, { models, learned }: ModelCheck): Promise<Ledger> {
  for (const entry of learned) await writeLearnedModel(store, entry);
  if (models.length === 0) return [];
  const worker = createWorkerName();
  const file = openLedger(store, worker);
  const tally = new LedgerTally(worker);
  const write = async (line: LedgerLine) => {
    tally.add(line);
    await file.write(line);
  };
  for (const [at, { spec, tier, durationMs, outcome }] of models.entries()) {
    const call = at + 1;
    const requestedTier = tier === 'standard' ? {} : { tier };
    await write({
      event: 'sent',
      sentAtMs: Date.now(),
      call,
      key: `check/${spec}#check`,
      spec,
      step: 'check',
      estimate: ESTIMATE,
      ...requestedTier,
    });
    const { usage: reported } = outcome;
    const isImpossible = reported !== undefined && findUsageProblem(reported, ESTIMATE) !== undefined;
    const usage = isImpossible ? {} : reported;
    if (outcome instanceof ModelError) {
      await write({ event: 'failed', call, kind: outcome.kind, ...omitUndefined({ usage }) });
      continue;
    }
    const { finish, tier: answeredTier = 'standard' } = outcome;
    const servedTier = answeredTier === tier ? {} : { tier: answeredTier };
    const verdict = finish === 'refused' ? 'refused' : 'good';
    await write({ event: 'answered', call, verdict, usage: usage ?? {}, durationMs, ...servedTier });
  }
  return tally.rows();
}

/** Longer than any model needs for a word; a run waits longer, and so does not depend on it. */
const CHECK_TIMEOUT_MS = 60_000;

/**
 * Builds a short question in the form of the step: for the simulated user, a conversation that the assistant begins. A server with a small
 * context window may fail silently, so a user's own server gets a long prompt if the step has them.
 */
function buildCheckQuestion({
  spec,
  step,
  asking: { temperature, reasoningEffort, body },
}: ModelUse): ModelRequest {
  const isLong =
    step !== undefined && LONG_STEPS.has(step) && parseModelSpec(spec).provider === 'openai-compatible';
  const content = isLong ? `${FILLER}\n\n${QUESTION}` : QUESTION;
  const isUser = step === 'user';
  return {
    step: 'check',
    values: {},
    form: isUser ? 'chat' : 'prompt',
    system: CHECK_SYSTEM,
    messages: [
      ...(isUser ? [{ role: 'assistant', content: 'Can you be called?' } as const] : []),
      { role: 'user', content },
    ],
    temperature,
    ...omitUndefined({ reasoningEffort, body }),
    maxTokens: MAX_TOKENS,
    attempt: 0,
    seed: 0,
  };
}

export const CHECK_SYSTEM = 'This call checks that a model can be used. Its text has no other meaning.';

const QUESTION = 'Reply with the word "ready".';

/** About as long as the history of an instance: 8,000 tokens. */
const FILLER = Array.from(
  { length: 400 },
  (_, line) => `Line ${line + 1} of this text only stands for a long history that is sent along later.`,
).join('\n');

const MAX_TOKENS = 16;

const ESTIMATE = estimateCall({
  step: 'respond',
  characters: CHECK_SYSTEM.length + QUESTION.length,
  maxTokens: MAX_TOKENS,
});
