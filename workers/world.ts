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

/** What a worker's activities touch: stores, models, the gate that all its model calls pass. */
export function openWorld(options: {
  /** Where a run keeps what it has. */
  readonly storeOf: (run: string) => Store;
  readonly codeVersion: string;
  /** Most model calls in flight. */
  readonly concurrency: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly observe: (event: WorldEvent) => void;
}): World {
  const runs = new Map<string, Promise<RunFiles>>();
  const models = new Map<string, Model>();
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
    run(id) {
      const known = runs.get(id);
      if (known !== undefined) return known;
      const reading = readRun(options.storeOf(id), options.codeVersion);
      runs.set(id, reading);
      // A store that could not be read just now may be readable the next time.
      reading.catch(() => runs.delete(id));
      return reading;
    },
  };
}

async function readRun(store: Store, codeVersion: string): Promise<RunFiles> {
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
  };
}
