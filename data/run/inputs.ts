import * as z from 'zod';
import { plannedPersonaSchema, type PlannedPersona } from '../../schemas/dataset/persona';
import { promptPackSchema, type PromptPack } from '../../schemas/run/prompts';
import { runInputsSchema, type RunInputs } from '../../schemas/run/run';
import { parseJson } from '../../schemas/text/issues';
import type { Store } from '../store/store';

/** Inputs of a run, as stored: every process continues it with these. */
export interface RunPlan {
  readonly inputs: RunInputs;
  /** In order of their ids, from 1; for descriptions that the user provided all of them, including those that the run does not use yet. */
  readonly templates: readonly PlannedPersona[];
  readonly prompts: PromptPack;
}

export async function writePlan(store: Store, plan: RunPlan): Promise<void> {
  await store.write(NAMES.templates, JSON.stringify(plan.templates));
  await store.write(NAMES.prompts, JSON.stringify(plan.prompts));
  await store.write(NAMES.inputs, JSON.stringify(plan.inputs));
}

export async function hasPlan(store: Store): Promise<boolean> {
  return (await store.read(NAMES.inputs)) !== undefined;
}

/** @throws Error that names what the store lacks, or what in it is invalid */
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

/** Reads a JSON document of the store. @throws Error that names what is missing or damaged */
export async function readJson<T>(schema: z.ZodType<T>, store: Store, name: string): Promise<T> {
  const value = await findJson(schema, store, name, RESTORE);
  if (value === undefined) throw new Error(`.cupid/${name} is missing. ${RESTORE}`);
  return value;
}

/** Remedy for a file that cannot be built again. */
export const RESTORE = 'Restore that file from a copy.';

/**
 * Reads a JSON document of the store; undefined if there is none.
 * @param remedy what to do when it is damaged
 * @throws Error that names what is damaged, and the remedy
 */
export async function findJson<T>(
  schema: z.ZodType<T>,
  store: Store,
  name: string,
  remedy: string,
): Promise<T | undefined> {
  const text = await store.read(name);
  if (text === undefined) return undefined;
  const { value, problem } = parseJson(schema, name, text);
  if (problem === undefined) return value;
  throw new Error(`.cupid/${name} is damaged:\n${problem}\n${remedy}`);
}
