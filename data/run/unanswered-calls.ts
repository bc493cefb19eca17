import { toUSVString } from 'node:util';
import { unansweredSchema, type Unanswered } from '../../schemas/run/outcome';
import { parseJson } from '../../schemas/text/issues';
import type { Journal } from './journal';
import type { Store } from '../store/store';

/** Opens the lookup of the calls in a run's store: their answers, or why there are none. */
export function openRecordedCalls(store: Store, journal: Pick<Journal, 'find'>) {
  return { find: journal.find, findUnanswered: (key: string) => readUnanswered(store, key) };
}

/** Stores why the attempt of this key has no answer; or, for a workflow's id, why one of its activities failed. */
export async function writeUnanswered(store: Store, key: string, unanswered: Unanswered): Promise<void> {
  // A message cut inside a character would be invalid in a table.
  const note = { ...unanswered, cause: toUSVString(unanswered.cause) };
  await store.write(buildName(key), `${JSON.stringify(note)}\n`);
}

/** Reads why the attempt of this key, or the workflow of this id, has no answer; undefined if nothing is stored. */
export async function readUnanswered(store: Store, key: string): Promise<Unanswered | undefined> {
  const name = buildName(key);
  const text = await store.read(name);
  return text === undefined ? undefined : parseJson(unansweredSchema, name, text).value;
}

/** Lists why attempts of this work have no answer, by their keys. */
export async function listUnanswered(store: Store, workflowId: string): Promise<Record<string, Unanswered>> {
  const calls: Record<string, Unanswered> = {};
  for (const name of await store.list(buildUnansweredFolderName(workflowId))) {
    const [, attempt] = /([^/]+)\.json$/.exec(name) ?? [];
    if (attempt === undefined || attempt === WORK) continue;
    const key = `${workflowId}#${attempt}`;
    const unanswered = await readUnanswered(store, key);
    if (unanswered !== undefined) calls[key] = unanswered;
  }
  return calls;
}

/** Builds a name from the folder of the work and the name of the attempt. */
function buildName(key: string): string {
  const [workflowId = key, attempt = WORK] = key.split('#');
  return `${buildUnansweredFolderName(workflowId)}/${attempt}.json`;
}

/** Stands for the work as a whole, in place of an attempt. */
const WORK = 'work';

function buildUnansweredFolderName(workflowId: string): string {
  return `unanswered/${encodeURIComponent(workflowId)}`;
}
