import type { Journal } from '../data/journal';
import type { Store } from '../data/store';
import type { Model } from '../models/model';
import type { PromptPack } from '../schemas/prompts';
import type { Step } from '../schemas/step';
import type { Usage } from '../schemas/usage';
import type { CallGate } from './call-gate';

/** Everything the activities touch: given to them by the worker that runs them. */
export interface World<Files extends RunFiles = RunFiles> {
  /** What a run was started with; read once, then kept. */
  run(id: string): Promise<Files>;
  model(spec: string): Model;
  gate: CallGate;
  /** Told of everything a watcher may want to see; must not throw. */
  observe(event: WorldEvent): void;
}

/** A run as the activities of any run see it. */
export interface RunFiles {
  readonly id: string;
  readonly store: Store;
  readonly journal: Journal;
  readonly settings: { readonly seed: number };
  readonly prompts: PromptPack;
}

export type WorldEvent =
  | {
      readonly type: 'answer';
      readonly step: Step;
      readonly spec: string;
      /** False when the journal had the answer already. */
      readonly paid: boolean;
      readonly good: boolean;
      readonly usage: Usage;
      readonly workflowId: string;
    }
  /** Something outside keeps the run waiting; it goes on by itself, or once it is mended. */
  | { readonly type: 'waiting'; readonly cause: string; readonly message: string };
