import * as z from 'zod';
import { plannedPersonaSchema, type PlannedPersona } from '../../schemas/dataset/persona';
import { promptPackSchema, type PromptPack } from '../../schemas/run/prompts';
import { runInputsSchema, type RunInputs } from '../../schemas/run/run';
import { FOLDER_FORMAT } from '../../schemas/run/folder-format';
import { PLANS } from '../store/folder-format';
import type { Store } from '../store/store';
import { readJson, writeJson } from '../store/stored-json';

/** Inputs of a run, as stored: every process continues it with these. */
export interface RunPlan {
  readonly inputs: RunInputs;
  /** In order of their ids, from 1; for descriptions that the user provided all of them, including those that the run does not use yet. */
  readonly templates: readonly PlannedPersona[];
  readonly prompts: PromptPack;
}

export async function writePlan(store: Store, plan: RunPlan): Promise<void> {
  await writeJson(store, NAMES.templates, { templates: plan.templates });
  await writeJson(store, NAMES.prompts, plan.prompts);
  await writeJson(store, NAMES.inputs, { format: FOLDER_FORMAT, ...plan.inputs });
}

export async function hasPlan(store: Store): Promise<boolean> {
  return (await store.read(NAMES.inputs)) !== undefined;
}

/** @throws Error that names what the store lacks, or what in it is invalid */
export async function readPlan(store: Store): Promise<RunPlan> {
  return {
    inputs: await readJson(runInputsSchema, store, NAMES.inputs),
    templates: (await readJson(templatesSchema, store, NAMES.templates)).templates,
    prompts: await readJson(promptPackSchema, store, NAMES.prompts),
  };
}

const templatesSchema = z.object({ templates: z.array(plannedPersonaSchema) });

const NAMES = {
  inputs: PLANS.synthesis,
  templates: 'inputs/templates.json',
  prompts: 'inputs/prompts.json',
} as const;
