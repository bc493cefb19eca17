import { groupBy } from '../../rules/group-by';
import { buildStoredOpening } from '../../rules/dialogue/messages';
import { buildWorkReference, type WorkReference } from '../../engine/journal/work';
import { ask } from '../../rules/method/ask';
import { explainFailure, isSameCall, type RecordedAttempt } from '../../rules/method/reader';
import { CallsFailed, type Attempt } from '../../rules/method/script';
import type { SynthesisCall } from '../../rules/method/synthesis-calls';
import { parseJournalKey } from '../../engine/journal/key';
import type { Bundle } from '../../schemas/run/bundle';
import type { JournalEntry } from '../../schemas/run/journal';
import type { StepSettings } from '../../schemas/run/settings';
import type { Step, SynthesisStep } from '../../schemas/run/step';
import { buildCallName, BundledCalls, DAMAGED, buildAttemptKey, RecordingDamaged } from './bundled-calls';
import { openComparison, type CompareRequest, type RequestChange } from './compare-requests';
import { followWork, type FollowedWork } from './follow-work';
import { readAnswerContent, type AnswerContent } from './answer-content';

/** Recorded work, followed by the rules, prompts and code of today. */
export interface ReplayResult {
  readonly work: WorkReference;
  readonly subject: Subject;
  /** In the order of their first attempts. */
  readonly questions: readonly ReplayedCall[];
  readonly end: RecordedEnd;
  /** Places where this version asks, judges or fails differently from the run; empty if there are none. */
  readonly differences: readonly ReplayDifference[];
  /** Problems of damaged journal entries in the bundle, by key. */
  readonly damaged: ReadonlyMap<string, string>;
}

/** Subject of the work, as far as it is recorded. */
export interface Subject {
  readonly persona?: { readonly number: number; readonly occupation?: string; readonly description?: string };
  readonly session?: {
    readonly number: number;
    readonly context_factor: string;
    readonly preference: string;
    readonly checklist: readonly string[];
    /** The user's first message. */
    readonly opening: string;
  };
}

/** One call of a step, with all its attempts. */
export interface ReplayedCall {
  readonly step: SynthesisStep;
  readonly turn: number;
  readonly revision: number;
  readonly attempts: readonly ReplayedAttempt[];
  /** Content of the accepted answer; absent while there is none. */
  readonly content?: AnswerContent;
}

export interface ReplayedAttempt {
  readonly key: string;
  readonly attempt: number;
  /**
   * `used`: the answer counts. `doubted`: usable, but requested once more. `bad`: broke its rules. `unanswered`: nothing to judge.
   * `damaged`: the entry is invalid. `open`: the recording has no answer.
   */
  readonly verdict: 'used' | 'doubted' | 'bad' | 'unanswered' | 'damaged' | 'open';
  /** Problem of the answer, or the reason why there is none. */
  readonly problem?: string;
  readonly entry?: JournalEntry;
}

interface RecordedEnd {
  readonly state: 'completed' | 'failed' | 'open';
  readonly cause?: string;
  /** Keys of the attempts that come next in open work. */
  readonly nextKeys: readonly string[];
}

/** A place where this version behaves differently from the run. */
export interface ReplayDifference {
  /** Key of the attempt where it appears; for a failure, the id of the work. */
  readonly key: string;
  readonly step: Step;
  readonly turn: number | string;
  readonly attempt: number;
  /** A different request, a different verdict on an answer, an attempt that only one of both makes, or a different failure. */
  readonly kind: RequestChange | 'verdict' | 'attempt' | 'failure';
  /** Continues "the recording": `asks again after this answer`. */
  readonly recordedBehavior: string;
  /** Continues "this version": `accepts it`. */
  readonly replayedBehavior: string;
}

/**
 * Follows recorded work by the rules of today, builds each of its requests again, and compares both with the recording. Needs no engine,
 * model, key or network.
 * @throws RecordingDamaged; Error when nothing is recorded of the work
 */
export async function replay(bundle: Bundle): Promise<ReplayResult> {
  checkSize(bundle);
  const { inputs, work, failure } = bundle;
  const reference = buildWorkReference(inputs.id, work);
  const calls = new BundledCalls(bundle);
  const followedWork = await followWork(bundle, calls);
  const { reading, answers } = followedWork;
  const isOwn = ({ call }: Attempt<SynthesisCall>) => call.workflowId === reference.id;
  const attempts = reading.attempts.filter(({ attempt }) => isOwn(attempt) && !answers.isGiven(attempt.call));
  const next = reading.next.filter(isOwn);
  if (attempts.length === 0 && failure === undefined && calls.damaged.size === 0) {
    throw new Error(
      `${reference.id} cannot be replayed, because none of its calls is recorded. If it is in progress, it has not started yet: repeat the command later.`,
    );
  }
  const compare = await openComparison(bundle, calls, answers);
  return {
    work: reference,
    subject: await describeSubject(followedWork),
    questions: buildQuestions(attempts, next, inputs.settings.steps),
    end: findEnd(bundle, followedWork, attempts, next),
    differences: await findDifferences(bundle, calls, { ...followedWork, attempts, next, compare }),
    damaged: calls.damaged,
  };
}

/** Bounds the size of the run in a bundle, because some loops read no answer in each round. */
function checkSize(bundle: Bundle): void {
  const { growth } = bundle.inputs;
  const wrongSize = growth.find((personas, at) => personas > 1_000_000 || personas < (growth[at - 1] ?? 0));
  if (wrongSize !== undefined) throw new RecordingDamaged(bundle, `its run grew to ${wrongSize} personas`);
}

async function describeSubject({ refs, answers }: FollowedWork): Promise<Subject> {
  const { persona, session } = refs;
  if (persona === undefined) return {};
  const { occupation, description } = await answers.readPersona(persona);
  const subject = { persona: { number: persona.persona, occupation, description } };
  if (session === undefined) return subject;
  const sessionPlan = await answers.readSession(session);
  const { context_factor, preference } = sessionPlan;
  const checklist = await answers.readChecklist(session, session.checklist);
  const opening = buildStoredOpening(sessionPlan);
  return {
    ...subject,
    session: { number: session.session, context_factor, preference, checklist, opening },
  };
}

function buildQuestions(
  attempts: readonly RecordedAttempt<SynthesisCall>[],
  next: readonly Attempt<SynthesisCall>[],
  steps: Readonly<Record<SynthesisStep, StepSettings>>,
): ReplayedCall[] {
  const byCall = groupBy(attempts, ({ attempt }) => buildCallName(attempt.call));
  const openByCall = groupBy(next, ({ call }) => buildCallName(call));
  return [...new Set([...byCall.keys(), ...openByCall.keys()])].flatMap((name) => {
    const recordedAttempts = byCall.get(name) ?? [];
    const open = openByCall.get(name) ?? [];
    const call = recordedAttempts[0]?.attempt.call ?? open[0]?.call;
    if (call === undefined) return [];
    const acceptedAttempt = findAccepted(recordedAttempts, steps[call.step]);
    const content = acceptedAttempt && readAnswerContent(call.step, acceptedAttempt.value);
    const { step, turn, revision } = call;
    return {
      step,
      turn,
      revision,
      attempts: [
        ...recordedAttempts.map((recordedAttempt) =>
          buildAttempt(recordedAttempt, recordedAttempt === acceptedAttempt),
        ),
        ...open.map((attempt) => ({
          key: buildAttemptKey(attempt),
          attempt: attempt.number,
          verdict: 'open' as const,
        })),
      ],
      ...(content === undefined ? {} : { content }),
    };
  });
}

/** Finds the attempt of a call whose answer was accepted. */
function findAccepted(
  attempts: readonly RecordedAttempt<SynthesisCall>[],
  limits: StepSettings,
): RecordedAttempt<SynthesisCall> | undefined {
  const [first] = attempts;
  if (first === undefined) return undefined;
  const { call } = first.attempt;
  const script = ask(limits, call);
  try {
    let next = script.next();
    for (const { outcome } of attempts) next = script.next(outcome);
    if (next.done !== true) return undefined;
    const { ref } = next.value;
    return attempts.find(({ attempt }) => `${call.revision}.${attempt.number}` === ref);
  } catch (error) {
    if (error instanceof CallsFailed) return undefined;
    throw error;
  }
}

function buildAttempt(
  { attempt, outcome, problem, entry }: RecordedAttempt<SynthesisCall>,
  isUsed: boolean,
): ReplayedAttempt {
  const { state } = outcome;
  const verdict = state === 'good' || state === 'doubtful' ? ('doubted' as const) : state;
  const isDamaged = state === 'unanswered' && outcome.kind === DAMAGED;
  const kind = state === 'unanswered' && entry === undefined && !isDamaged ? `${outcome.kind}: ` : '';
  return {
    key: buildAttemptKey(attempt),
    attempt: attempt.number,
    verdict: isUsed ? 'used' : isDamaged ? 'damaged' : verdict,
    ...(problem === undefined ? {} : { problem: `${kind}${problem}` }),
    ...(entry === undefined ? {} : { entry }),
  };
}

function findEnd(
  { failure }: Bundle,
  { reading }: FollowedWork,
  attempts: readonly RecordedAttempt<SynthesisCall>[],
  next: readonly Attempt<SynthesisCall>[],
): RecordedEnd {
  if (failure !== undefined) return { state: 'failed', cause: failure.cause, nextKeys: [] };
  const [failedCall] = reading.failures.filter(({ kind }) => kind !== DAMAGED);
  if (failedCall !== undefined)
    return { state: 'failed', cause: explainFailure(failedCall, attempts).cause, nextKeys: [] };
  const isComplete = next.length === 0 && reading.result !== undefined;
  return { state: isComplete ? 'completed' : 'open', nextKeys: next.map(buildAttemptKey) };
}

/** Own attempts of the work. */
interface Followed extends FollowedWork {
  readonly attempts: readonly RecordedAttempt<SynthesisCall>[];
  readonly next: readonly Attempt<SynthesisCall>[];
  readonly compare: CompareRequest;
}

async function findDifferences(
  bundle: Bundle,
  calls: BundledCalls,
  followedWork: Followed,
): Promise<ReplayDifference[]> {
  const { attempts, answers, compare } = followedWork;
  const differences: ReplayDifference[] = [];
  for (const { attempt, entry } of attempts) {
    if (entry === undefined) continue;
    const changed = await compare(attempt, entry);
    if (changed !== undefined) {
      const recordedBehavior = `sends the request ${shorten(entry.request)}`;
      const replayedBehavior = `builds ${shorten(changed.request)}, because ${REASONS[changed.change]}`;
      differences.push({ ...place(attempt), kind: changed.change, recordedBehavior, replayedBehavior });
    }
    const verdict = answers.acceptedToday.get(buildAttemptKey(attempt));
    if (verdict === undefined) continue;
    const replayedBehavior =
      verdict === 'good' ? 'accepts it' : 'doubts it, and uses it if no better one comes';
    differences.push({
      ...place(attempt),
      kind: 'verdict',
      recordedBehavior: 'rejects this answer',
      replayedBehavior,
    });
  }
  // Nothing is known about the calls after a damaged entry.
  if (calls.damaged.size > 0) return differences;
  const finalDifference =
    findOtherAttempt(bundle, calls, followedWork) ?? findOtherFailure(bundle, followedWork);
  return finalDifference === undefined ? differences : [...differences, finalDifference];
}

const REASONS: Readonly<Record<RequestChange, string>> = {
  prompts: 'the built-in prompts have changed since',
  settings: 'the version of the program, the prompts or the settings differ',
  answers: 'an earlier answer that it is built from has changed or is read differently',
};

function shorten(hash: string): string {
  return hash.slice(0, 12);
}

function place(attempt: Attempt): Pick<ReplayDifference, 'key' | 'step' | 'turn' | 'attempt'> {
  const { step, turn } = attempt.call;
  return { key: buildAttemptKey(attempt), step, turn, attempt: attempt.number };
}

/** Finds an attempt that only today's script or only the run makes. */
function findOtherAttempt(
  { inputs, work, failure, finished }: Bundle,
  calls: BundledCalls,
  { attempts, next: [next] }: Followed,
): ReplayDifference | undefined {
  const keys = new Set(attempts.map(({ attempt }) => buildAttemptKey(attempt)));
  const unused = calls.listCounting(buildWorkReference(inputs.id, work).id).find((key) => !keys.has(key));
  if (next !== undefined) {
    const isOver = failure !== undefined || finished === true || unused !== undefined;
    if (!isOver) return undefined;
    const before = attempts.findLast(({ attempt }) => isSameCall(attempt.call, next.call));
    const reason = before?.problem === undefined ? '' : `, because of the answer before: ${before.problem}`;
    const recordedBehavior = 'continues without this answer';
    return { ...place(next), kind: 'attempt', recordedBehavior, replayedBehavior: `asks for it${reason}` };
  }
  const call = unused === undefined ? undefined : parseJournalKey(unused);
  if (unused === undefined || call === undefined) return undefined;
  const { step, turn, attempt: number } = call;
  const unusedAttempt = { key: unused, step, turn, attempt: number };
  return {
    ...unusedAttempt,
    kind: 'attempt',
    recordedBehavior: 'asks for this answer',
    replayedBehavior: 'does not',
  };
}

/** Finds a difference in failing: at another call, of another cause, or only in the run. */
function findOtherFailure(
  { failure }: Bundle,
  { reading, attempts }: Followed,
): ReplayDifference | undefined {
  if (failure?.step === undefined) return undefined;
  const { workflowId, step, turn = 0, cause } = failure;
  const failedCall = reading.failures.find(
    ({ call }) => call.workflowId === workflowId && call.step === step && call.turn === turn,
  );
  const replayedCause = failedCall && explainFailure(failedCall, attempts).cause;
  if (replayedCause === cause) return undefined;
  const replayedBehavior = replayedCause === undefined ? 'does not' : `fails: ${replayedCause}`;
  const call = { key: workflowId, step, turn, attempt: failedCall?.number ?? 0 };
  return { ...call, kind: 'failure', recordedBehavior: `fails: ${cause}`, replayedBehavior };
}
