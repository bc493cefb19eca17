import { toUSVString } from 'node:util';
import { z } from 'zod';
import { parseJson } from '../../schemas/text/issues';
import type { Journal } from './journal';
import type { Store } from '../store/store';

/** Why an attempt of a call has no answer, or why work failed. Temporal gets the kind only: a cause may quote a model. */
const unansweredSchema = z.object({ kind: z.string(), cause: z.string() });
export type Unanswered = z.infer<typeof unansweredSchema>;

/** The calls that a run's store has a record of: their answers, or why there are none. */
export function openRecordedCalls(store: Store, journal: Pick<Journal, 'find'>) {
  return { find: journal.find, findUnanswered: (key: string) => readUnanswered(store, key) };
}

/** Keeps why the attempt of this key has no answer; or, by the id of a workflow, why one of its activities failed. */
export async function writeUnanswered(store: Store, key: string, unanswered: Unanswered): Promise<void> {
  // A message that was cut inside a character could stand in no table.
  const kept = { ...unanswered, cause: toUSVString(unanswered.cause) };
  await store.write(buildName(key), `${JSON.stringify(kept)}\n`);
}

/** Why the attempt of this key, or the workflow of this id, has no answer; undefined where nothing is kept about it. */
export async function readUnanswered(store: Store, key: string): Promise<Unanswered | undefined> {
  const name = buildName(key);
  const text = await store.read(name);
  return text === undefined ? undefined : parseJson(unansweredSchema, name, text).value;
}

/** The folder of the work, and the attempt within it. */
function buildName(key: string): string {
  const [workflowId = key, attempt = 'work'] = key.split('#');
  return `unanswered/${encodeURIComponent(workflowId)}/${attempt}.json`;
}
