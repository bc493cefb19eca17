import { CallGate } from '../activities/call-gate';
import type { RunFiles, World, WorldEvent } from '../activities/world';
import { readPlan } from '../data/inputs';
import { openJournal } from '../data/journal';
import type { Store } from '../data/store';
import type { Model } from '../models/model';
import { openModel } from '../models/open';
import { parseModelSpec } from '../schemas/model-spec';
import { simulatedModel } from '../simulated/model';

export type { WorldEvent };

/** What the activities of one run touch: its store, the models, the gate that all its model calls pass. */
export function openWorld(options: {
  readonly run: string;
  readonly store: Store;
  /** A folder of this machine for files on their way to the store. */
  readonly scratch: string;
  readonly codeVersion: string;
  /** Most model calls in flight. */
  readonly concurrency: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly observe: (event: WorldEvent) => void;
}): World {
  const models = new Map<string, Model>();
  let files: Promise<RunFiles> | undefined;
  return {
    gate: new CallGate(options.concurrency),
    observe: options.observe,
    model(spec) {
      const known = models.get(spec);
      if (known !== undefined) return known;
      const parsed = parseModelSpec(spec);
      const model =
        parsed.provider === 'simulated' ? simulatedModel(parsed) : openModel(parsed, options.environment);
      models.set(spec, model);
      return model;
    },
    async run(id) {
      if (id !== options.run) throw new Error(`This worker is run ${options.run}'s, not ${id}'s.`);
      files ??= readRun(options);
      try {
        return await files;
      } catch (error) {
        // What could not be read just now may be readable the next time.
        files = undefined;
        throw error;
      }
    },
  };
}

async function readRun(options: {
  readonly store: Store;
  readonly scratch: string;
  readonly codeVersion: string;
}): Promise<RunFiles> {
  const { store, scratch, codeVersion } = options;
  const { inputs, templates, prompts } = await readPlan(store);
  return {
    id: inputs.id,
    store,
    journal: openJournal(store),
    settings: inputs.settings,
    seeds: inputs.seeds,
    templates: new Map(templates.map((template) => [template.id, template])),
    prompts,
    codeVersion,
    scratch,
  };
}
