import * as z from 'zod';
import {
  evaluationInputsSchema,
  indexedInstanceSchema,
  ROWS_PER_FILE,
  type EvaluationInputs,
  type SplitRow,
  type NumberedRow,
} from '../../schemas/evaluation/evaluation-run';
import {
  listStudyWork,
  studiesSchema,
  type PairWork,
  type Studies,
  type StudyWork,
} from '../../schemas/evaluation/studies';
import type { Filler } from '../../schemas/evaluation/filler';
import { countDataStates } from '../../schemas/evaluation/data-state';
import { instanceSchema } from '../../schemas/dataset/instance';
import { promptPackSchema, type PromptPack } from '../../schemas/run/prompts';
import { getSplit } from '../sets/persona-split';
import { FOLDER_FORMAT } from '../../schemas/run/folder-format';
import { PLANS } from '../store/folder-format';
import type { Store } from '../store/store';
import { createReadCache } from '../store/read-cache';
import { findJson, readJson, RESTORE, writeJson } from '../store/stored-json';
import { openFillers } from './histories';
import { buildRowFileName } from './row-files';

/** Inputs of an evaluation, as stored. */
export interface EvaluationPlan {
  readonly inputs: EvaluationInputs;
  readonly prompts: PromptPack;
}

/** A row of the evaluated data set, with facts about it. */
const storedInstanceSchema = z.object({
  instance: instanceSchema,
  priorTokens: z.number().int(),
  /** Null if the data do not name it. */
  synthesizer: z.string().nullable(),
  /** For a verification: the checklists of its prior sessions' preferences, if the persona's record has them. */
  checklists: z.record(z.string(), z.array(z.string())).optional(),
});
export type StoredInstance = z.infer<typeof storedInstanceSchema>;

/** An evaluation's plan with access to its instances, of which memory holds a few at a time. */
export interface ReadableEvaluation extends EvaluationPlan {
  /** The rows of the current data. */
  readonly index: readonly SplitRow[];
  /** Returns the rows of each state of the data, oldest first; the last one is the current. */
  states(): Promise<readonly (readonly NumberedRow[])[]>;
  /** Lists the numbers of every row of the persona of a row; none for a row that the data no longer have. */
  listPersonaRows(number: number): readonly number[];
  /** Returns a row by its number, also one that the data no longer have. */
  instance(number: number): Promise<StoredInstance>;
  /** Returns every row of the persona of a row. */
  persona(number: number): Promise<readonly StoredInstance[]>;
  /** Returns the sessions that extend the history of a row, in the order in which they are added; none if it has no extended history. */
  fillers(number: number): Promise<readonly Filler[]>;
  /** Returns a pair that people labeled. */
  pair(id: string): Promise<PairWork>;
}

/** Stores the plan; its instances must have been stored before. */
export async function writeEvaluationPlan(store: Store, { inputs, prompts }: EvaluationPlan): Promise<void> {
  await writeJson(store, NAMES.prompts, prompts);
  await writeJson(store, NAMES.inputs, { format: FOLDER_FORMAT, ...inputs });
}

/** Returns whether a complete plan is stored; its inputs are written last. */
export async function hasEvaluationPlan(store: Store): Promise<boolean> {
  return (await store.read(NAMES.inputs)) !== undefined;
}

/** @throws Error that names what the store lacks, or what in it is invalid */
export async function readEvaluationPlan(store: Store): Promise<EvaluationPlan> {
  return {
    inputs: await readJson(evaluationInputsSchema, store, NAMES.inputs),
    prompts: await readJson(promptPackSchema, store, NAMES.prompts),
  };
}

/** Stores the instances of a new evaluation as they come, and returns their number. */
export async function writeInstances(
  store: Store,
  instances: AsyncIterable<StoredInstance>,
): Promise<number> {
  const index = await writeChunks(store, instances, 0);
  await writeJson(store, buildIndexName(1), { rows: index });
  return index.length;
}

/**
 * Stores a new state of an evaluation's data. It counts once the plan names it; until then, the same command may be repeated.
 * @param state its number, from 1
 * @param rows all rows of the data
 * @param instances those that are not stored yet, in the order of their numbers
 * @param stored how many numbers are taken
 */
export async function writeDataState(
  store: Store,
  {
    state,
    rows,
    stored,
  }: { readonly state: number; readonly rows: readonly NumberedRow[]; readonly stored: number },
  instances: AsyncIterable<StoredInstance>,
): Promise<void> {
  await writeChunks(store, instances, stored);
  const index = rows.map(({ persona_id, instance_type, number }) => ({ persona_id, instance_type, number }));
  await writeJson(store, buildIndexName(state), { rows: index });
}

/** Writes instances with the numbers after `stored`, in files of which the first may contain earlier ones. Returns their keys. */
async function writeChunks(
  store: Store,
  instances: AsyncIterable<StoredInstance>,
  stored: number,
): Promise<Omit<NumberedRow, 'number'>[]> {
  const rows: Omit<NumberedRow, 'number'>[] = [];
  const begun = stored % ROWS_PER_FILE;
  let chunk = begun === 0 ? [] : (await readChunk(store, buildChunkName(stored))).slice(0, begun);
  const keepChunk = async () => {
    if (chunk.length > 0) await writeJson(store, buildChunkName(stored + rows.length), { instances: chunk });
    chunk = [];
  };
  for await (const item of instances) {
    const { persona_id, instance_type } = item.instance;
    rows.push({ persona_id, instance_type });
    chunk.push(item);
    if (chunk.length === ROWS_PER_FILE) await keepChunk();
  }
  await keepChunk();
  return rows;
}

async function readChunk(store: Store, name: string): Promise<StoredInstance[]> {
  return (await readJson(chunkSchema, store, name)).instances;
}

const chunkSchema = z.object({ instances: z.array(storedInstanceSchema) });
const indexSchema = z.object({ rows: z.array(indexedInstanceSchema) });

async function readIndex(store: Store, state: number): Promise<NumberedRow[]> {
  const { rows } = await readJson(indexSchema, store, buildIndexName(state));
  return rows.map((row, at) => ({ ...row, number: row.number ?? at + 1 }));
}

/** The stored rows of a data set, of which memory holds a few at a time. */
type StoredRows = Pick<ReadableEvaluation, 'index' | 'listPersonaRows' | 'instance' | 'persona' | 'fillers'>;

/** Opens the rows of a state of the data, from 1. @throws Error that names what the store lacks, or what in it is invalid */
export async function openStoredRows(store: Store, state: number): Promise<StoredRows> {
  const readKeptChunk = createReadCache(CHUNKS_IN_MEMORY, (name: string) => readChunk(store, name));
  const index = (await readIndex(store, state)).map((row) => ({ ...row, split: getSplit(row.persona_id) }));
  const readFillers = openFillers(store);
  const rows = new Map<string, number[]>();
  const personas = new Map<number, string>();
  for (const { persona_id, number } of index) {
    rows.set(persona_id, [...(rows.get(persona_id) ?? []), number]);
    personas.set(number, persona_id);
  }
  const instance = async (number: number): Promise<StoredInstance> => {
    const name = buildChunkName(number);
    const stored = (await readKeptChunk(name))[(number - 1) % ROWS_PER_FILE];
    if (stored === undefined)
      throw new Error(`.cupid/${name} is damaged: instance ${number} is missing. ${RESTORE}`);
    return stored;
  };
  const listPersonaRows = (number: number) => rows.get(personas.get(number) ?? '') ?? [];
  return {
    index,
    listPersonaRows,
    instance,
    persona: (number) => readStoredRows({ instance }, listPersonaRows(number)),
    fillers: (number) => readFillers(listPersonaRows(number)[0] ?? number, number),
  };
}

/** @throws Error that names what the store lacks, or what in it is invalid */
export async function openEvaluation(store: Store): Promise<ReadableEvaluation> {
  let pairs: ReadonlyMap<string, PairWork> = new Map();
  const plan = await readEvaluationPlan(store);
  const state = countDataStates(plan.inputs.data);
  const rows = await openStoredRows(store, state);
  return {
    ...plan,
    ...rows,
    async states() {
      const earlier = Array.from({ length: state - 1 }, (_, at) => readIndex(store, at + 1));
      return [...(await Promise.all(earlier)), rows.index];
    },
    async pair(id) {
      // An id is derived from the pair's texts, so cached pairs stay valid when the studies are drawn again.
      if (!pairs.has(id)) {
        const work = listStudyWork(await readStudies(store));
        pairs = new Map(work.flatMap((item) => (item.kind === 'pair' ? [[item.id, item]] : [])));
      }
      const pair = pairs.get(id);
      if (pair === undefined)
        throw new Error(`.cupid/${NAMES.studies} is damaged: pair ${id} is missing. ${RESTORE}`);
      return pair;
    },
  };
}

export async function writeStudies(store: Store, studies: Studies): Promise<void> {
  await writeJson(store, NAMES.studies, studies);
}

/** Reads the samples of the studies; empty while none was drawn. */
export async function readStudies(store: Store): Promise<Studies> {
  return (await findJson(studiesSchema, store, NAMES.studies, RESTORE)) ?? {};
}

/** Reads the subject of a piece of a study: the instances to verify, or a pair of texts. */
export async function readStudySubject(
  { instance, pair }: Pick<ReadableEvaluation, 'instance' | 'pair'>,
  work: StudyWork,
): Promise<{ readonly persona?: StoredInstance[]; readonly pair?: PairWork }> {
  if (work.kind === 'pair') return { pair: await pair(work.id) };
  return work.kind === 'verification' ? { persona: await readStoredRows({ instance }, work.rows) } : {};
}

/** Reads rows of the data set, in this order. */
export async function readStoredRows(
  { instance }: Pick<ReadableEvaluation, 'instance'>,
  rows: readonly number[],
): Promise<StoredInstance[]> {
  const stored: StoredInstance[] = [];
  for (const row of rows) stored.push(await instance(row));
  return stored;
}

const CHUNKS_IN_MEMORY = 8;

const NAMES = {
  inputs: PLANS.evaluation,
  prompts: 'inputs/prompts.json',
  studies: 'inputs/studies.json',
} as const;

function buildIndexName(state: number): string {
  return `inputs/instances${state === 1 ? '' : `-${state}`}.json`;
}

function buildChunkName(number: number): string {
  return buildRowFileName('inputs/instances', number);
}
