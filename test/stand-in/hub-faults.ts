/** The plain stages are passed before anything is done; `-after` means done, and the answer is lost; `-midway`, half of the body came. */
export type Stage =
  | 'whoami'
  | 'info'
  | 'create'
  | 'create-after'
  | 'branch'
  | 'branch-after'
  | 'refs'
  | 'discussions'
  | 'commits'
  | 'tree'
  | 'paths-info'
  | 'preupload'
  | 'lfs-batch'
  | 'upload'
  | 'upload-midway'
  | 'upload-after'
  | 'verify'
  | 'xet-token'
  | 'chunks'
  | 'xorb'
  | 'xorb-midway'
  | 'xorb-after'
  | 'shard'
  | 'shard-after'
  | 'commit'
  | 'commit-after'
  | 'resolve'
  | 'store'
  | 'reconstruction';

export type Transfer = 'basic' | 'xet';

/**
 * The stages that the sending of a large file by this transfer passes with the JavaScript client, from preupload to the commit.
 * It takes its token for Xet from the answer to the batch, so 'xet-token' is not among them, and leaves 'verify' out.
 */
export function uploadStages(transfer: Transfer): Stage[] {
  const sent: Record<Transfer, Stage[]> = {
    basic: ['upload', 'upload-midway', 'upload-after'],
    xet: ['chunks', 'xorb', 'xorb-midway', 'xorb-after', 'shard', 'shard-after'],
  };
  return ['preupload', 'lfs-batch', ...sent[transfer], 'commit', 'commit-after'];
}

interface Refusal {
  readonly stage: Stage;
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  times: number;
}

/** What goes wrong at which stage, and how often yet. */
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

  /** Whether the connection breaks here; counts it. */
  cuts(stage: string): boolean {
    for (const [cut, left] of this.#cuts) {
      if (cut !== stage || left <= 0) continue;
      this.#cuts.set(cut, left - 1);
      return true;
    }
    return false;
  }

  /** How the stage is refused, if it is; counts it. */
  refusal(stage: string): Omit<Refusal, 'stage' | 'times'> | undefined {
    const refused = this.#refusals.find((one) => one.stage === stage && one.times > 0);
    if (refused !== undefined) refused.times -= 1;
    return refused;
  }

  /** Does what is to be done at the stage, once. */
  async reach(stage: Stage): Promise<void> {
    const [action, ...later] = this.#actions.get(stage) ?? [];
    this.#actions.set(stage, later);
    await action?.();
  }

  /** Cuts and refusals that nobody ran into yet. */
  left(): number {
    const counts = [...this.#cuts.values(), ...this.#refusals.map(({ times }) => times)];
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
