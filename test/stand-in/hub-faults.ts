/** Stages of requests. A plain stage comes before any work; at `-after`, work is done and the answer is lost. */
export type Stage =
  | 'whoami'
  | 'info'
  | 'create'
  | 'create-after'
  | 'branch'
  | 'discussions'
  | 'tree'
  | 'paths-info'
  | 'preupload'
  | 'lfs-batch'
  | 'upload'
  | 'chunks'
  | 'xorb'
  | 'shard'
  | 'commit'
  | 'commit-after'
  | 'resolve'
  | 'store';

export type Transfer = 'basic' | 'xet';

interface Refusal {
  readonly stage: Stage;
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  times: number;
}

/** Planned faults by stage, with their remaining numbers. */
export class Faults {
  readonly #cuts = new Map<Stage, number>();
  readonly #refusals: Refusal[] = [];
  readonly #actions = new Map<Stage, (() => void | Promise<void>)[]>();

  cut(stage: Stage, times: number): void {
    this.#cuts.set(stage, (this.#cuts.get(stage) ?? 0) + times);
  }

  refuse(refused: Refusal): void {
    this.#refusals.push(refused);
  }

  when(stage: Stage, action: () => void | Promise<void>): void {
    this.#actions.set(stage, [...(this.#actions.get(stage) ?? []), action]);
  }

  /** Returns whether the connection breaks here, and counts it. */
  cuts(stage: string): boolean {
    for (const [cut, left] of this.#cuts) {
      if (cut !== stage || left <= 0) continue;
      this.#cuts.set(cut, left - 1);
      return true;
    }
    return false;
  }

  /** Returns the refusal of this stage, if there is one, and counts it. */
  refusal(stage: string): Omit<Refusal, 'stage' | 'times'> | undefined {
    const refused = this.#refusals.find((one) => one.stage === stage && one.times > 0);
    if (refused !== undefined) refused.times -= 1;
    return refused;
  }

  /** Runs the action of the stage, once. */
  async reach(stage: Stage): Promise<void> {
    const [action, ...later] = this.#actions.get(stage) ?? [];
    this.#actions.set(stage, later);
    await action?.();
  }

  /** Returns the number of cuts and refusals that no request met yet. */
  left(): number {
    const counts = [...this.#cuts.values(), ...this.#refusals.map(({ times }) => times)];
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
