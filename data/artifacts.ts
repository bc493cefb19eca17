import { failedWorkSchema, type FailedWork } from '../schemas/outcome';
import { z } from 'zod';
import { keptPersonaSchema, type KeptPersona } from '../schemas/record';
import type { Store } from './store';

/** The names under which a run's store keeps what was made of each persona. */
const RECORDS = 'records';
const FAILURES = 'failures';

export async function keepPersona(store: Store, persona: number, kept: KeptPersona): Promise<void> {
  await store.write(nameOf(RECORDS, persona), `${JSON.stringify(kept)}\n`);
}

/** The kept personas one by one, in order of their numbers. */
export async function* keptPersonas(store: Store): AsyncGenerator<KeptPersona> {
  for (const name of await store.list(RECORDS)) {
    yield await readArtifact(store, name, keptPersonaSchema);
  }
}

export async function keepFailedPersona(
  store: Store,
  persona: number,
  work: readonly FailedWork[],
): Promise<void> {
  await store.write(nameOf(FAILURES, persona), `${JSON.stringify(work, null, 2)}\n`);
}

/** What failed, persona by persona, in order of their numbers. */
export async function failedPersonas(store: Store): Promise<FailedWork[][]> {
  const failed: FailedWork[][] = [];
  for (const name of await store.list(FAILURES)) {
    failed.push(await readArtifact(store, name, z.array(failedWorkSchema)));
  }
  return failed;
}

/** The numbers of the personas that are kept, and of those that failed. */
export async function closedPersonas(store: Store): Promise<{ finished: number[]; failed: number[] }> {
  const numbers = async (folder: string) =>
    (await store.list(folder)).map((name) => Number.parseInt(name.slice(folder.length + 1), 10));
  return { finished: await numbers(RECORDS), failed: await numbers(FAILURES) };
}

/** True when a persona's record is kept. */
export async function isKept(store: Store, persona: number): Promise<boolean> {
  return (await store.read(nameOf(RECORDS, persona))) !== undefined;
}

async function readArtifact<T>(store: Store, name: string, schema: z.ZodType<T>): Promise<T> {
  try {
    return schema.parse(JSON.parse((await store.read(name)) ?? ''));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${name} in the run's folder is damaged (${why}). Delete it and continue the run: it is made again from the journal.`,
      { cause: error },
    );
  }
}

// Padded so that the order of names is the order of numbers.
function nameOf(folder: string, persona: number): string {
  return `${folder}/${String(persona).padStart(7, '0')}.json`;
}
