import { listDescribedBy, type DescriptionBatch } from '../../engine/journal/revisions';
import type { DescriptionRef } from '../../rules/method/synthesis-calls';
import type { FailedCall, PersonaOutcome } from '../../schemas/run/outcome';
import type { Restart } from '../../schemas/run/restart';
import type { SynthesisSettings } from '../../schemas/run/settings';

/** A persona whose description is known. */
export interface DescribedPersona {
  readonly number: number;
  readonly described: DescriptionRef;
}

interface WindowOptions {
  readonly settings: Pick<SynthesisSettings, 'nSessions' | 'describeBatch'>;
  readonly batches: readonly DescriptionBatch[];
  readonly restarts: readonly Restart[];
  /** Maximum number of dialogues of open personas, simulated or planned; a persona counts half when half of its own have ended. */
  readonly size: number;
}

/** State of a window whose run continues as new. */
export interface WindowState {
  /** Batches that are not started yet. */
  readonly waiting: readonly DescriptionBatch[];
  readonly open: readonly number[];
  /** Open personas whose dialogues have half ended. */
  readonly easing: readonly number[];
  readonly finished: readonly number[];
  readonly failed: readonly number[];
}

/**
 * Window over the personas of a run: batches wait, are described, and give personas that are started as soon as there is room. It decides what
 * comes next; the run does it. A persona is in at most one of `open`, `finished` and `failed`.
 */
export class PersonaWindow {
  size: number;
  misconfigured: FailedCall | undefined;
  readonly #open: Set<number>;
  readonly #easing: Set<number>;
  readonly #finished: Set<number>;
  readonly #failed: Set<number>;
  /** Open personas whose workflow may not have started yet. */
  readonly #starting = new Set<number>();
  readonly #waiting: DescriptionBatch[];
  readonly #describing = new Set<DescriptionBatch>();
  readonly #ready: DescribedPersona[] = [];

  constructor(
    private readonly options: WindowOptions,
    state?: WindowState,
  ) {
    this.size = options.size;
    this.#waiting = [...(state?.waiting ?? options.batches)];
    this.#open = new Set(state?.open);
    this.#easing = new Set(state?.easing);
    this.#finished = new Set(state?.finished);
    this.#failed = new Set(state?.failed);
  }

  get open(): readonly number[] {
    return [...this.#open];
  }

  /** Returns the open personas whose workflow has started. */
  get started(): readonly number[] {
    return this.open.filter((number) => !this.#starting.has(number));
  }

  get finished(): number {
    return this.#finished.size;
  }

  get failed(): number {
    return this.#failed.size;
  }

  isOpen(number: number): boolean {
    return this.#open.has(number);
  }

  isNew(number: number): boolean {
    return ![this.#open, this.#finished, this.#failed].some((personas) => personas.has(number));
  }

  /** Returns true while no persona is open, and none is being described. */
  get isIdle(): boolean {
    return this.#open.size + this.#describing.size === 0;
  }

  /** Returns true when nothing is left to do. */
  get isOver(): boolean {
    return this.isIdle && this.#ready.length + this.#waiting.length === 0;
  }

  /** Returns true while nothing is being described or started, which another version of the program would do again. */
  get isAtRest(): boolean {
    return this.#describing.size + this.#starting.size === 0;
  }

  /** Returns true if a persona is ready and has room. */
  get canStart(): boolean {
    return this.#ready.length > 0 && this.#room > 0;
  }

  /** Returns true if the next batch should be described: one batch ahead of the room, so that no persona is waited for. */
  get canDescribe(): boolean {
    const ahead = this.#ready.length + [...this.#describing].reduce((sum, { count }) => sum + count, 0);
    return this.#waiting.length > 0 && ahead < this.#room + this.options.settings.describeBatch;
  }

  /** Returns the number of personas that could be opened. With half of its dialogues left, one has about half the calls in flight. */
  get #room(): number {
    const load = this.#open.size - this.#easing.size / 2;
    return Math.ceil(this.size / (this.options.settings.nSessions - 1) - load);
  }

  /** Takes the persona to start, if `canStart`. */
  takeReady(): DescribedPersona | undefined {
    return this.#ready.shift();
  }

  /** Takes the batch to describe, if `canDescribe`. */
  takeWaiting(): DescriptionBatch | undefined {
    return this.#waiting.shift();
  }

  beginDescribing(batch: DescriptionBatch): void {
    this.#describing.add(batch);
  }

  endDescribing(batch: DescriptionBatch, described: readonly DescribedPersona[]): void {
    this.#describing.delete(batch);
    this.#ready.push(...described);
  }

  /** Adds an open persona, before its workflow starts: its last signal may arrive before the news of its start. */
  beginStarting(number: number): void {
    this.#open.add(number);
    this.#starting.add(number);
  }

  endStarting(number: number): void {
    this.#starting.delete(number);
  }

  /** Counts an open persona as half, because half of its dialogues have ended. */
  ease(number: number): void {
    if (this.#open.has(number)) this.#easing.add(number);
  }

  /** Takes a persona out of the window, without an outcome. */
  leave(number: number): void {
    this.#open.delete(number);
    this.#easing.delete(number);
    this.#starting.delete(number);
  }

  close(outcome: PersonaOutcome): void {
    const { persona: number, state } = outcome;
    this.leave(number);
    if (state === 'misconfigured') this.misconfigured = outcome.cause;
    if (state === 'failed' && !this.#finished.has(number)) this.#failed.add(number);
    if (state === 'finished') {
      this.#finished.add(number);
      // Its record is stored, so an earlier failure no longer counts.
      this.#failed.delete(number);
    }
  }

  /** Returns the batches that describe a persona. */
  listBatchesOf(number: number): DescriptionBatch[] {
    const { batches, restarts } = this.options;
    return batches.filter((batch) => listDescribedBy(batch, restarts).includes(number));
  }

  /** Returns what the next run needs. Personas that may not have started are described again by it, from the journal. */
  get state(): WindowState {
    const unstarted = [...this.#ready.map(({ number }) => number), ...this.#starting].flatMap((number) =>
      this.listBatchesOf(number),
    );
    return {
      waiting: removeDuplicates([...this.#describing, ...unstarted, ...this.#waiting]),
      open: this.started,
      easing: [...this.#easing],
      finished: [...this.#finished],
      failed: [...this.#failed],
    };
  }
}

/** Returns each batch once. Batches from before continuing as new are other objects, so they are compared by value. */
function removeDuplicates(batches: readonly DescriptionBatch[]): DescriptionBatch[] {
  return [...new Map(batches.map((batch) => [`${batch.first}.${batch.revision ?? 0}`, batch])).values()];
}
