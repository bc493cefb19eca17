import { AsyncLocalStorage } from 'node:async_hooks';
import { ApplicationFailure } from '@temporalio/activity';
import { hashText } from '../data/store/files';
import type { Journal } from '../data/run/journal';
import { ModelError } from '../models/errors/error';
import { MemoryError } from '../models/memory/error';
import type { CacheHint, Model, ModelRequest, Sending } from '../models/model';
import { version } from '../package.json';
import { formatRepairRequest } from '../rules/answers/form/checks';
import { judgeEntry, type AnswerRules, type JudgedAnswer } from '../rules/method/judge';
import type { Attempt } from '../rules/method/script';
import { ANSWER_CHANGED } from '../engine/journal/failed-work';
import { buildJournalKey, computeSampleStart } from '../engine/journal/key';
import { deriveCallSeed } from '../rules/sampling/random';
import { trimText } from '../schemas/model/answer-text';
import type { JournalEntry } from '../schemas/run/journal';
import type { Message } from '../schemas/dataset/message';
import { omitUndefined } from '../schemas/omit-undefined';
import type { StepSettings } from '../schemas/run/settings';
import { withBelievableUsage } from './believable-usage';
import type { AnswerVerdict } from './run-ledger';
import { keepAnswer } from './keep-answer';
import type { CallRequest, RunFiles, World } from './world';
import type { PromptName } from '../data/prompts/files';
import { renderPrompt } from '../data/prompts/render';

/** A call with the inputs of its request and the rules for its answer. */
export interface Question {
  /** SPEC of the called model. */
  readonly spec: string;
  readonly limits: StepSettings;
  /** Replaces the turn in the seed if the turn contains numbers that are only valid in this run. */
  readonly seedTurn?: string | number;
  /** Input of the provider's seed, besides the run's seed, that distinguishes this work from all other work of the run. */
  readonly place: readonly (string | number)[];
  readonly form: 'prompt' | 'chat';
  readonly system: string;
  readonly messages: readonly Message[];
  readonly values: Readonly<Record<string, string>>;
  /** Whether a repair request includes the problem of the bad answer; if not, it is the same request with another seed. */
  readonly includesReason: boolean;
  readonly rules: AnswerRules;
  /** Part of the request that other calls share. */
  readonly cache?: CacheHint;
}

/** Parts of a question that depend on its step. */
export type QuestionContent = Pick<
  Question,
  'form' | 'system' | 'messages' | 'values' | 'includesReason' | 'cache' | 'seedTurn'
>;

/** An attempt of a call as it is sent. */
interface BuiltRequest extends Pick<JournalEntry, 'key' | 'request' | 'settings'> {
  readonly asked: ModelRequest;
}

/**
 * Asks a model once, or takes the answer from the journal if it was given before.
 * @throws what `createFailure` classifies: ModelError, a journal entry of another question.
 */
export async function askModel(
  world: World,
  { call, number: attempt }: Attempt,
  question: Question,
): Promise<{ readonly entry: JournalEntry; readonly judged: JudgedAnswer }> {
  const { run } = world;
  const { spec } = question;
  const { step } = call;
  const request = await buildRequest(run, { call, number: attempt }, question);
  const judge = (entry: JournalEntry) =>
    judgeEntry(entry, { step, attempt }, question.rules, question.limits.maxTokens);
  const sending = question.cache === undefined ? {} : { cache: question.cache };
  const { entry, paid } = await findOrRequestAnswer(world, { ...request, spec, step, sending }, (answer) =>
    getVerdict(judge(answer)),
  );
  if (!paid) world.emit({ type: 'found', step, spec });
  return { entry, judged: judge(entry) };
}

/**
 * Builds the request of an attempt. If the question includes reasons, the model is shown its bad answers of the same sample and their
 * problems, which come from the journal.
 */
export async function buildRequest(
  run: Pick<RunFiles, 'settings' | 'prompts'> & { readonly journal: Pick<Journal, 'get'> },
  { call, number: attempt }: Attempt,
  question: Question,
): Promise<BuiltRequest> {
  const { step, turn } = call;
  const keyOf = (number: number) => buildJournalKey({ ...call, attempt: number });
  const { maxRepairs, maxTokens, temperature, reasoningEffort, body } = question.limits;
  let messages = question.messages;
  for (let earlier = computeSampleStart(attempt, maxRepairs); earlier < attempt; earlier += 1) {
    const entry = await run.journal.get(keyOf(earlier));
    // Nothing can be corrected where there is no answer: the request is sent again, for another sample.
    if (question.includesReason && !UNANSWERED.has(entry.answer.finish)) {
      const { problem = '' } = judgeEntry(entry, { step, attempt: earlier }, question.rules, maxTokens);
      messages = withCorrection(messages, entry, problem);
    }
  }
  const request: ModelRequest = {
    step,
    values: question.values,
    form: question.form,
    system: question.system,
    messages,
    temperature,
    maxTokens,
    ...omitUndefined({ reasoningEffort, body }),
    attempt,
    seed: deriveCallSeed(run.settings.seed, ...question.place, step, question.seedTurn ?? turn, attempt),
  };
  return { key: keyOf(attempt), ...computeHashes(run, question.spec, request), asked: request };
}

const UNANSWERED: ReadonlySet<JournalEntry['answer']['finish']> = new Set(['reasoning', 'failed']);

function getVerdict({ outcome }: JudgedAnswer): AnswerVerdict {
  if (outcome.state === 'unanswered') return 'refused';
  return outcome.state === 'good' ? 'good' : 'bad';
}

type Judge = (entry: JournalEntry) => AnswerVerdict;

/**
 * Lookups and calls in progress in this process. If Temporal abandons an attempt too early, the next one joins it instead of paying for the
 * call twice. It joins from the lookup in the journal on.
 */
const underWay = new Map<string, Promise<JournalEntry>>();

async function findOrRequestAnswer(
  world: World,
  call: Omit<CallRequest, 'estimate'>,
  verdict: Judge,
): Promise<{ entry: JournalEntry; paid: boolean }> {
  const { key } = call;
  const joined = underWay.get(key);
  if (joined !== undefined) return { entry: await joined, paid: false };
  let paid = false;
  const lookup = lookUpOrSend(world, call, verdict, () => (paid = true)).finally(() => underWay.delete(key));
  underWay.set(key, lookup);
  return { entry: await lookup, paid };
}

async function lookUpOrSend(
  world: World,
  unsent: Omit<CallRequest, 'estimate'>,
  verdict: Judge,
  pay: () => void,
): Promise<JournalEntry> {
  const { key, spec, step, asked } = unsent;
  const entry = await findAnswer(world, unsent);
  if (entry !== undefined) return entry;
  const characters = asked.messages.reduce((sum, { content }) => sum + content.length, asked.system.length);
  const estimate = world.ledger.estimate({ spec, step, characters, maxTokens: asked.maxTokens });
  const call = { ...unsent, estimate };
  if ((await world.collect?.(call)) === true) {
    throw ApplicationFailure.nonRetryable(`${key} waits for its batch.`, 'collected');
  }
  // By the wall clock: no other passes while a machine sleeps.
  const lookedUpAtMs = Date.now();
  return world.gate.pass(
    call,
    world.guardsOf(call),
    () => sendCall(world, call, verdict, pay),
    async () => (Date.now() - lookedUpAtMs > LOOKUP_HOLDS_MS ? findAnswer(world, call) : undefined),
  );
}

/** Time for which no other process answers a call that waits here: it would have to be missed first. */
const LOOKUP_HOLDS_MS = 10_000;

async function findAnswer(
  { run }: Pick<World, 'run'>,
  call: Pick<CallRequest, 'key' | 'request' | 'settings'>,
): Promise<JournalEntry | undefined> {
  const entry = await run.journal.find(call.key);
  if (entry !== undefined && entry.request !== call.request) throw createMismatchFailure(entry, call);
  return entry;
}

async function sendCall(
  world: World,
  call: CallRequest,
  verdict: Judge,
  pay: () => void,
): Promise<JournalEntry> {
  const { key, spec, request, settings, asked, sending } = call;
  const model = await world.model(spec);
  const capacity = world.tierOf(spec);
  const tier = capacity.choose();
  const sent = await world.ledger.sent({ ...call, tier }, asked);
  const startMs = performance.now();
  let answer: JournalEntry;
  let unknownFinish: string | undefined;
  try {
    ({ entry: answer, unknownFinish } = await runAsCall(sent.id, () =>
      sendTimed(model, { key, spec, request, settings, ledgerCall: sent.id }, asked, {
        ...sending,
        tier,
        stopping: world.gate.stopping,
      }),
    ));
    answer = { ...answer, answer: withBelievableUsage(world, spec, answer.answer, call.estimate) };
  } catch (error) {
    const isClassified = error instanceof ModelError || error instanceof MemoryError;
    const isUnread =
      error instanceof ModelError &&
      error.kind === 'connection' &&
      performance.now() - startMs < LEAST_ANSWER_MS;
    const reported = { usage: error instanceof ModelError && !isUnread ? error.usage : undefined };
    const { usage } = withBelievableUsage(world, spec, reported, call.estimate);
    await sent.failed(isClassified ? error.kind : 'unexpected', usage);
    throw error instanceof ModelError && error.kind === 'no-capacity' ? capacity.full(error) : error;
  }
  capacity.served(answer.answer.tier ?? 'standard');
  if (unknownFinish !== undefined) {
    const message = `${spec} ended an answer for an unknown reason (${unknownFinish}). Such an answer counts as complete unless its text looks cut off.`;
    world.emit({ type: 'noticed', about: `${unknownFinish} of ${spec}`, message });
  }
  pay();
  const entry = await keepAnswer(() => world.run.journal.append(answer), world);
  await sent.answered(answer, verdict(answer));
  return entry;
}

/** A connection that breaks sooner was broken before a model could write: by a firewall, or a gateway without its server. */
const LEAST_ANSWER_MS = 1_000;

/** Id of the call that this asynchronous context sends, if calls are traced. */
let sentCall: AsyncLocalStorage<string> | undefined;

/**
 * Keeps the id of a call in the asynchronous context of its HTTP requests from now on. Only for traces: up to Node.js 22, each kind of context
 * costs processor time for every promise of the process.
 * @returns the function that reads the id
 */
export function followSentCalls(): () => string | undefined {
  const storage = (sentCall ??= new AsyncLocalStorage<string>());
  return () => storage.getStore();
}

/** Runs the sending of a call, in a context with its id if calls are followed. */
export function runAsCall<T>(id: string, work: () => T): T {
  return sentCall === undefined ? work() : sentCall.run(id, work);
}

async function sendTimed(
  model: Model,
  call: Omit<JournalEntry, 'answer' | 'durationMs'>,
  request: ModelRequest,
  sending: Sending,
): Promise<{ readonly entry: JournalEntry; readonly unknownFinish: string | undefined }> {
  const start = performance.now();
  // Never aborted: an answer on its way is paid for, so it is awaited regardless of the workflow's fate.
  const { unknownFinish, ...answer } = await model.ask(request, new AbortController().signal, sending);
  return { entry: { ...call, answer, durationMs: Math.round(performance.now() - start) }, unknownFinish };
}

function withCorrection(
  messages: readonly Message[],
  entry: JournalEntry,
  reason: string,
): readonly Message[] {
  const { text, finish } = entry.answer;
  if (finish === 'complete' && trimText(text) !== '') {
    return [
      ...messages,
      { role: 'assistant', content: text },
      { role: 'user', content: formatRepairRequest(reason) },
    ];
  }
  // There is no complete answer to refer to, and some providers reject two user messages in a row.
  const last = messages.at(-1);
  return [
    ...messages.slice(0, -1),
    { role: 'user', content: `${last?.content ?? ''}\n\n${formatRepairRequest(reason)}` },
  ];
}

function computeHashes(
  run: Pick<RunFiles, 'prompts'>,
  spec: string,
  request: ModelRequest,
): Pick<JournalEntry, 'request' | 'settings'> {
  const { form, system, messages, temperature, maxTokens, reasoningEffort, attempt, seed, body } = request;
  // The names are a part of what is hashed.
  const settings = { spec, form, temperature, maxTokens, reasoningEffort, ask: attempt, seed, body };
  return {
    request: computeSha256({ ...settings, system, messages }),
    // Includes the version, because it decides how prompts and earlier answers become messages.
    settings: computeSha256({ ...settings, prompts: run.prompts.hash, version }),
  };
}

function computeSha256(value: unknown): string {
  return hashText(JSON.stringify(value));
}

/** Explains why the answer in the journal does not belong to the current request. */
function createMismatchFailure(
  { key, settings }: JournalEntry,
  now: Pick<JournalEntry, 'settings'>,
): ApplicationFailure {
  if (settings === now.settings) {
    return ApplicationFailure.nonRetryable(
      `The journal has an answer for ${key}, but an earlier answer that its request was built from has changed since: ` +
        'that entry was edited, or was lost and requested again. To ask the model again from this call on, run: ' +
        'cupid retry RUN --damaged',
      ANSWER_CHANGED,
    );
  }
  return ApplicationFailure.nonRetryable(
    `The journal has an answer for ${key}, but it was requested with other settings, prompts or models, or by another version of this program. ` +
      'Continue the run with the version that run.json names, and restore .cupid/inputs from a copy if it was edited.',
    'journal-mismatch',
  );
}

/** Builds the part of a question that is one rendered prompt and no conversation. */
export function buildPromptQuestion(
  run: Pick<RunFiles, 'prompts'>,
  name: PromptName,
  values: Readonly<Record<string, string>>,
): Pick<Question, 'form' | 'system' | 'messages' | 'values' | 'includesReason'> {
  const { system, user = '' } = renderPrompt(run.prompts, name, values);
  return {
    form: 'prompt',
    system,
    messages: [{ role: 'user', content: user }],
    values,
    includesReason: true,
  };
}
