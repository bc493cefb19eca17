import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import {
  evaluationInputsSchema,
  indexedInstanceSchema,
  studiesSchema,
  type EvaluationInputs,
  type IndexedInstance,
  type PairWork,
  type Studies,
  type StudyWork,
} from '../../schemas/evaluation/evaluation-run';
import { instanceSchema } from '../../schemas/dataset/instance';
import { promptPackSchema, type PromptPack } from '../../schemas/run/prompts';
import { getSplit } from '../sets/persona-split';
import { findJson, readJson, RESTORE } from './inputs';
import type { Store } from '../store/store';

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
export interface OpenEvaluation extends EvaluationPlan {
  readonly index: readonly IndexedInstance[];
  instance(number: number): Promise<StoredInstance>;
  /** Returns every row of the persona of a row. */
  persona(number: number): Promise<readonly StoredInstance[]>;
  /** Returns a pair that people labelled. */
  pair(id: string): Promise<PairWork>;
}

/** Stores the plan; its instances must have been stored before. */
export async function writeEvaluationPlan(store: Store, { inputs, prompts }: EvaluationPlan): Promise<void> {
  await store.write(NAMES.prompts, JSON.stringify(prompts));
  await store.write(NAMES.inputs, JSON.stringify(inputs));
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

/** Stores the instances as they come, and returns their number. */
export async function writeInstances(
  store: Store,
  instances: AsyncIterable<StoredInstance>,
): Promise<number> {
  const index: Omit<IndexedInstance, 'split'>[] = [];
  let chunk: StoredInstance[] = [];
  const keepChunk = async () => {
    if (chunk.length > 0) await store.write(buildChunkName(index.length), JSON.stringify(chunk));
    chunk = [];
  };
  for await (const stored of instances) {
    const { persona_id, instance_type } = stored.instance;
    index.push({ persona_id, instance_type });
    chunk.push(stored);
    if (chunk.length === CHUNK) await keepChunk();
  }
  await keepChunk();
  await store.write(NAMES.index, JSON.stringify(index));
  return index.length;
}

/** @throws Error that names what the store lacks, or what in it is invalid */
export async function openEvaluation(store: Store): Promise<OpenEvaluation> {
  const chunks = new LRUCache<string, Promise<StoredInstance[]>>({ max: CHUNKS_IN_MEMORY });
  let pairs: ReadonlyMap<string, PairWork> = new Map();
  const plan = await readEvaluationPlan(store);
  const rowsInOrder = await readJson(z.array(indexedInstanceSchema), store, NAMES.index);
  const index = rowsInOrder.map((row) => ({ ...row, split: getSplit(row.persona_id) }));
  const rows = new Map<string, number[]>();
  for (const [at, { persona_id }] of index.entries()) {
    rows.set(persona_id, [...(rows.get(persona_id) ?? []), at + 1]);
  }
  const instance = async (number: number): Promise<StoredInstance> => {
    const name = buildChunkName(number);
    const chunk = chunks.get(name) ?? readJson(z.array(storedInstanceSchema), store, name);
    chunks.set(name, chunk);
    chunk.catch(() => chunks.delete(name));
    const stored = (await chunk)[(number - 1) % CHUNK];
    if (stored === undefined)
      throw new Error(`.cupid/${name} is damaged: instance ${number} is missing. ${RESTORE}`);
    return stored;
  };
  return {
    ...plan,
    index,
    instance,
    persona: (number) => readRows({ instance }, rows.get(index[number - 1]?.persona_id ?? '') ?? []),
    async pair(id) {
      // An id is derived from the pair's texts, so cached pairs stay valid when the studies are drawn again.
      if (!pairs.has(id)) {
        const { labels, stress } = await readStudies(store);
        const work = [...(labels?.work ?? []), ...(stress?.work ?? [])];
        pairs = new Map(work.flatMap((one) => (one.kind === 'pair' ? [[one.id, one]] : [])));
      }
      const pair = pairs.get(id);
      if (pair === undefined)
        throw new Error(`.cupid/${NAMES.studies} is damaged: pair ${id} is missing. ${RESTORE}`);
      return pair;
    },
  };
}

export async function writeStudies(store: Store, studies: Studies): Promise<void> {
  await store.write(NAMES.studies, JSON.stringify(studies));
}

/** Reads the samples of the studies; empty while none was drawn. */
export async function readStudies(store: Store): Promise<Studies> {
  return (await findJson(studiesSchema, store, NAMES.studies, RESTORE)) ?? {};
}

/** Reads the subject of a piece of a study: the instances to verify, or a pair of texts. */
export async function readStudySubject(
  { instance, pair }: Pick<OpenEvaluation, 'instance' | 'pair'>,
  work: StudyWork,
): Promise<{ readonly persona?: StoredInstance[]; readonly pair?: PairWork }> {
  if (work.kind === 'pair') return { pair: await pair(work.id) };
  return work.kind === 'verification' ? { persona: await readRows({ instance }, work.rows) } : {};
}

/** Reads rows of the data set, in this order. */
export async function readRows(
  { instance }: Pick<OpenEvaluation, 'instance'>,
  rows: readonly number[],
): Promise<StoredInstance[]> {
  const stored: StoredInstance[] = [];
  for (const row of rows) stored.push(await instance(row));
  return stored;
}

/** Number of instances in a file: some two megabytes of dialogues. */
const CHUNK = 100;
const CHUNKS_IN_MEMORY = 8;

const NAMES = {
  inputs: 'inputs/evaluation.json',
  prompts: 'inputs/prompts.json',
  index: 'inputs/instances.json',
  studies: 'inputs/studies.json',
} as const;

function buildChunkName(number: number): string {
  return `inputs/instances/${String(Math.ceil(number / CHUNK)).padStart(6, '0')}.json`;
}
