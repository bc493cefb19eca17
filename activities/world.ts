import type { Journal } from '../data/journal';
import type { Store } from '../data/store';
import type { Model } from '../models/model';
import type { PromptPack } from '../schemas/prompts';
import type { PersonaTemplate } from '../schemas/persona';
import type { RunInputs } from '../schemas/run';
import type { SynthesisSettings } from '../schemas/settings';
import type { Step } from '../schemas/step';
import type { Usage } from '../schemas/usage';
import type { CallGate } from './call-gate';

/** Everything the activities touch: given to them by the worker that runs them. */
export interface World {
  /** What a run was started with; read once, then kept. */
  run(id: string): Promise<RunFiles>;
  model(spec: string): Model;
  gate: CallGate;
  /** Told of everything a watcher may want to see; must not throw. */
  observe(event: WorldEvent): void;
}

/** A run as its activities see it. */
export interface RunFiles {
  readonly id: string;
  readonly store: Store;
  readonly journal: Journal;
  readonly settings: SynthesisSettings;
  readonly seeds: RunInputs['seeds'];
  /** By persona number. */
  readonly templates: ReadonlyMap<number, PersonaTemplate>;
  readonly prompts: PromptPack;
  readonly codeVersion: string;
  /** A folder of this machine for files on their way to the store. */
  readonly scratch: string;
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
