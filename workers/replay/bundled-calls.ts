import { readBundledEntries } from '../../data/run/bundles';
import { buildJournalKey, buildWorkId, parseJournalKey, type CallKey } from '../../engine/journal/key';
import { computeRevision } from '../../engine/journal/revisions';
import type { RecordedCalls } from '../../rules/method/reader';
import type { Attempt, Call } from '../../rules/method/script';
import type { Bundle } from '../../schemas/run/bundle';
import type { JournalEntry } from '../../schemas/run/journal';
import type { Unanswered } from '../../schemas/run/outcome';
import { SYNTHESIS_STEPS } from '../../schemas/run/step';

/** A part of a recording is missing or changed. */
export class RecordingDamaged extends Error {
  override readonly name = 'RecordingDamaged';

  constructor({ inputs, work }: Pick<Bundle, 'inputs' | 'work'>, problem: string, options?: ErrorOptions) {
    super(
      `The recording of ${buildWorkId(inputs.id, work)} is damaged: ${problem}. Copy the bundle again from the folder of its run.`,
      options,
    );
  }
}

/** Time limit of a replay in milliseconds. A genuine recording takes seconds. */
export const REPLAY_LIMIT_MS = 60_000;

/** The kind of an attempt whose entry is damaged. */
export const DAMAGED = 'damaged';

export class BundledCalls implements RecordedCalls {
  /** Problems of damaged entries, by key. */
  readonly damaged: ReadonlyMap<string, string>;
  readonly #entries: ReadonlyMap<string, JournalEntry>;
  /** Number of each call's last recorded attempt. */
  readonly #lastAttempts = new Map<string, number>();
  readonly #endMs = performance.now() + REPLAY_LIMIT_MS;

  constructor(private readonly bundle: Bundle) {
    const { entries, damaged } = readBundledEntries(bundle);
    this.damaged = new Map(damaged.map(({ key, problem }) => [key, problem]));
    this.#entries = new Map(entries.map((entry) => [entry.key, entry]));
    for (const key of this.#listKeys()) {
      const parsed = parseJournalKey(key);
      if (parsed === undefined) continue;
      const call = buildCallName(parsed);
      this.#lastAttempts.set(call, Math.max(parsed.attempt, this.#lastAttempts.get(call) ?? 0));
    }
  }

  async find(key: string): Promise<JournalEntry | undefined> {
    this.requireTime();
    return this.#entries.get(key);
  }

  /** Ends a replay at the time limit. @throws RecordingDamaged */
  requireTime(): void {
    if (performance.now() > this.#endMs) throw new RecordingDamaged(this.bundle, 'its replay did not end');
  }

  async get(key: string): Promise<JournalEntry> {
    const entry = await this.find(key);
    if (entry === undefined) throw new RecordingDamaged(this.bundle, `it lacks the answer ${key}`);
    return entry;
  }

  async findUnanswered(key: string): Promise<Unanswered | undefined> {
    const problem = this.damaged.get(key);
    if (problem !== undefined) {
      return { kind: DAMAGED, cause: `The journal entry of this answer is damaged: ${problem}.` };
    }
    return this.bundle.unansweredCalls[key];
  }

  /** Returns true if the recording has a later attempt of the same call. */
  isAskedAgain(key: Pick<CallKey, keyof Call | 'attempt'>): boolean {
    return (this.#lastAttempts.get(buildCallName(key)) ?? -1) > key.attempt;
  }

  /** Returns true for the call at which the recorded work failed. */
  isFailedCall({ workflowId, step, turn }: Call): boolean {
    const { failure } = this.bundle;
    const place = failure && [failure.workflowId, failure.step, String(failure.turn ?? 0)];
    return place !== undefined && [workflowId, step, String(turn)].every((part, at) => part === place[at]);
  }

  /** Lists the recorded attempts of some work since its last restarts, in order of their turns. */
  listCounting(workflowId: string): string[] {
    const { restarts } = this.bundle.inputs;
    const { persona, session } = this.bundle.work;
    // A run's recording may contain descriptions of other personas.
    if (persona === undefined) return [];
    return this.#listKeys()
      .flatMap((key) => {
        const call = parseJournalKey(key);
        const step = SYNTHESIS_STEPS.find((name) => name === call?.step);
        if (call === undefined || step === undefined || call.workflowId !== workflowId) return [];
        const place = { persona, session, step, turn: Number(call.turn) };
        return call.revision === computeRevision(restarts, place) ? [{ key, turn: place.turn }] : [];
      })
      .toSorted((a, b) => a.turn - b.turn)
      .map(({ key }) => key);
  }

  #listKeys(): string[] {
    return [...this.#entries.keys(), ...Object.keys(this.bundle.unansweredCalls)];
  }
}

/** Builds a name that is the same for all attempts of a call. */
export function buildCallName(call: Pick<CallKey, keyof Call>): string {
  return buildJournalKey({ ...call, attempt: 0 });
}

export function buildAttemptKey({ call, number: attempt }: Attempt): string {
  return buildJournalKey({ ...call, attempt });
}
