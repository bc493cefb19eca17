import { z } from 'zod';
import { plannedPersonaSchema, type PlannedPersona } from '../../schemas/dataset/persona';
import { promptPackSchema, type PromptPack } from '../../schemas/run/prompts';
import { runInputsSchema, type RunInputs } from '../../schemas/run/run';
import { describeIssues } from '../../formatting/issues';
import type { Store } from '../store/store';

/** What a run was started with, as its store keeps it: it is continued with this, by every process. */
export interface RunPlan {
  readonly inputs: RunInputs;
  /** In order of their ids, from 1; of ready descriptions all that were given, also those that the run does not take yet. */
  readonly templates: readonly PlannedPersona[];
  readonly prompts: PromptPack;
}

export async function writePlan(store: Store, plan: RunPlan): Promise<void> {
  await store.write(NAMES.templates, JSON.stringify(plan.templates));
  await store.write(NAMES.prompts, JSON.stringify(plan.prompts));
  await store.write(NAMES.inputs, JSON.stringify(plan.inputs));
}

/** True once a complete plan was kept: its inputs are written last. */
export async function hasPlan(store: Store): Promise<boolean> {
  return (await store.read(NAMES.inputs)) !== undefined;
}

/** @throws Error that names what the store lacks, or what in it is not of its form */
export async function readPlan(store: Store): Promise<RunPlan> {
  return {
    inputs: await readJson(runInputsSchema, store, NAMES.inputs),
    templates: await readJson(z.array(plannedPersonaSchema), store, NAMES.templates),
    prompts: await readJson(promptPackSchema, store, NAMES.prompts),
  };
}

const NAMES = {
  inputs: 'inputs/run.json',
  templates: 'inputs/templates.json',
  prompts: 'inputs/prompts.json',
} as const;

/** Reads and parses a JSON document of the store. @throws Error that names what is missing or damaged */
export async function readJson<T>(schema: z.ZodType<T>, store: Store, name: string): Promise<T> {
  const text = await store.read(name);
  if (text === undefined) throw new Error(`.cupid/${name} is missing.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`.cupid/${name} is damaged: it is not JSON (${String(error)}).`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`.cupid/${name} is damaged:\n${describeIssues(name, parsed.error, value)}`, {
    cause: parsed.error,
  });
}
