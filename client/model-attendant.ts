import type { Client } from '@temporalio/client';
import { limitsWorkflowId } from '../rules/journal-key';
import { FAILURES_TO_BE_DOWN } from '../rules/model-limits';
import type { CallEstimate } from '../schemas/ledger';
import type { JournalEntry } from '../schemas/journal';
import type { RunKind } from '../schemas/run';
import { attendModel, type ModelAttendance, type ModelOrders } from '../workflows/messages';
import { attending, type Attending } from './attending';

/** Guards the calls to one model in this process: by its limits, and while it is down or wants to be left alone. */
export class ModelAttendant {
  #orders: ModelOrders | undefined;
  #ordersAt = 0;
  #holdUntil = 0;
  #probeAt = 0;
  /** When it was found to be down. */
  #downAt = 0;
  readonly #sentAt = new Map<object, number>();
  #since = nothingSince();
  #failures = 0;
  #failure: string | undefined;
  readonly #attending: Attending;

  constructor(
    private readonly options: {
      readonly client: Client;
      readonly run: string;
      readonly kind: RunKind;
      readonly spec: string;
      /** Starts the limits workflow, when there is none, or none that answers. */
      readonly start: () => Promise<void>;
      /** Called when it has not answered for long. */
      readonly unheard: (workflowId: string) => void;
      /** Names this process. */
      readonly worker: string;
      /** The calls to the model that wait to be sent. */
      readonly waiting: () => number;
      /** Called when calls may be sent that might not before. */
      readonly changed: () => void;
    },
  ) {
    this.#attending = attending<ModelAttendance, ModelOrders>({
      client: options.client,
      workflowId: limitsWorkflowId(options.spec),
      update: attendModel,
      tell: (leaving) => this.#attendance(leaving),
      take: (orders) => this.#take(orders),
      absent: options.start,
      unheard: options.unheard,
      untold: ({ sent, tokens, answered, retryAfter }) => {
        this.#since.sent += sent;
        this.#since.tokens += tokens;
        this.#since.answered += answered;
        this.#since.retryAfter ??= retryAfter;
      },
    });
  }

  /** Most calls to the model in flight in this process: none before it has its orders. */
  get inFlight(): number {
    return this.#orders === undefined ? 0 : (this.#orders.inFlight ?? Infinity);
  }

  turnsAway(): boolean {
    return this.#orders?.inFlight === 0;
  }

  /** True while the server hands the model's calls out at a rate. */
  get paced(): boolean {
    return this.#orders?.paced === true;
  }

  admits(): boolean {
    const now = performance.now();
    if (this.#orders === undefined || now < this.#holdUntil) return false;
    if (this.#isDown() && (this.#sentAt.size > 0 || now < this.#probeAt)) return false;
    const { inFlight } = this.#orders;
    return inFlight === undefined || (this.#sentAt.size < inFlight && now - this.#ordersAt < ORDERS_HOLD);
  }

  patience(): number | undefined {
    return this.paced ? STALE : undefined;
  }

  entered(call: { readonly estimate: CallEstimate }): void {
    const { estimate } = call;
    this.#sentAt.set(call, performance.now());
    this.#since.sent += 1;
    this.#since.tokens += estimate.input + estimate.output;
    if (this.#isDown()) this.#lookAgainIn(PROBE_EVERY, (at) => (this.#probeAt = at));
  }

  left(
    call: { readonly estimate: CallEstimate },
    ended:
      | { readonly entry: JournalEntry }
      | {
          readonly failure?: {
            readonly kind: string;
            readonly message: string;
            readonly retryAfterMs?: number;
          };
        },
  ): void {
    const sentAt = this.#sentAt.get(call) ?? 0;
    this.#sentAt.delete(call);
    if ('entry' in ended) {
      const { estimate } = call;
      const { input, output } = ended.entry.answer.usage;
      this.#since.tokens += (input ?? estimate.input) + (output ?? estimate.output);
      this.#since.tokens -= estimate.input + estimate.output;
      const wasDown = this.#isDown();
      // What was sent before it went down says nothing of whether it is back.
      if (wasDown && sentAt < this.#downAt) return;
      this.#since.answered += 1;
      this.#failures = 0;
      this.#failure = undefined;
      if (wasDown) this.#attending.urge();
      return;
    }
    if (ended.failure === undefined) return;
    const { kind, message, retryAfterMs } = ended.failure;
    if (kind === 'rate-limit') {
      const hold = retryAfterMs ?? UNTOLD_HOLD;
      this.#since.retryAfter = Math.max(hold, this.#since.retryAfter ?? 0);
      this.#hold(hold);
      this.#attending.urge();
      return;
    }
    if (!this.#isDown()) this.#downAt = performance.now();
    this.#failures += 1;
    this.#failure = message;
    if (this.#failures >= FAILURES_TO_BE_DOWN) this.#attending.urge();
  }

  async stop(): Promise<void> {
    await this.#attending.stop();
  }

  #isDown(): boolean {
    return this.#orders?.down === true || this.#failures >= FAILURES_TO_BE_DOWN;
  }

  #hold(milliseconds: number): void {
    if (performance.now() + milliseconds <= this.#holdUntil) return;
    this.#lookAgainIn(milliseconds, (at) => (this.#holdUntil = at));
  }

  #lookAgainIn(milliseconds: number, until: (at: number) => void): void {
    until(performance.now() + milliseconds);
    setTimeout(() => this.options.changed(), milliseconds + 5).unref();
  }

  #attendance(leaving: boolean): ModelAttendance {
    const { worker, run, kind, waiting } = this.options;
    const { sent, tokens, answered, retryAfter } = this.#since;
    this.#since = nothingSince();
    return {
      worker,
      run,
      kind,
      known: this.#orders?.version ?? 0,
      inFlight: this.#sentAt.size,
      waiting: waiting(),
      sent,
      tokens,
      answered,
      failures: this.#failures,
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(leaving ? { leaving: true } : {}),
    };
  }

  #take(orders: ModelOrders): number {
    const before = this.#orders;
    // Two conversations may overlap: what comes late is out of date, unless the workflow was started anew.
    if (before?.instance === orders.instance && orders.version < before.version) return orders.every;
    if (!this.#isDown()) this.#downAt = performance.now();
    this.#orders = orders;
    this.#ordersAt = performance.now();
    if (orders.hold !== undefined) this.#hold(orders.hold);
    this.options.changed();
    return orders.every;
  }
}

function nothingSince(): { sent: number; tokens: number; answered: number; retryAfter: number | undefined } {
  return { sent: 0, tokens: 0, answered: 0, retryAfter: undefined };
}

/** Milliseconds that a provider is left alone which limits its rate without saying for how long. */
const UNTOLD_HOLD = 2_000;

/** Milliseconds between two calls to a model that is down. */
const PROBE_EVERY = 5_000;

/** Milliseconds that a call which the server has let go of may wait here: its rate is counted there. */
const STALE = 2_000;

/** Milliseconds that a share of the calls in flight is gone by without hearing of it again: others get it after that. */
const ORDERS_HOLD = 30_000;
