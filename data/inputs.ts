import { z } from 'zod';
import { personaTemplateSchema, type PersonaTemplate } from '../schemas/persona';
import { promptPackSchema, type PromptPack } from '../schemas/prompts';
import { runInputsSchema, type RunInputs } from '../schemas/run';
import type { Store } from './store';

/** What a run was begun with, as its store keeps it: whoever continues it, or works for it, goes by this. */
export interface RunPlan {
  readonly inputs: RunInputs;
  /** In order of their ids, from 1. */
  readonly templates: readonly PersonaTemplate[];
  readonly prompts: PromptPack;
}

export async function keepPlan(store: Store, plan: RunPlan): Promise<void> {
  await store.write(NAMES.templates, JSON.stringify(plan.templates));
  await store.write(NAMES.prompts, JSON.stringify(plan.prompts));
  await store.write(NAMES.inputs, JSON.stringify(plan.inputs));
}

/** @throws Error that names what the store lacks, or what in it is not of its form */
export async function readPlan(store: Store): Promise<RunPlan> {
  return {
    inputs: runInputsSchema.parse(await readJson(store, NAMES.inputs)),
    templates: z.array(personaTemplateSchema).parse(await readJson(store, NAMES.templates)),
    prompts: promptPackSchema.parse(await readJson(store, NAMES.prompts)),
  };
}

const NAMES = {
  inputs: 'inputs/run.json',
  templates: 'inputs/templates.json',
  prompts: 'inputs/prompts.json',
} as const;

async function readJson(store: Store, name: string): Promise<unknown> {
  const text = await store.read(name);
  if (text === undefined) throw new Error(`The run's store lacks ${name}.`);
  return JSON.parse(text);
}
