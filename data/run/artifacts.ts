import { failedWorkSchema, type FailedWork } from '../../schemas/run/outcome';
import type { Restart } from '../../schemas/run/restart';
import * as z from 'zod';
import { storedPersonaSchema, type StoredPersona } from '../../schemas/dataset/record';
import { parseJson } from '../../schemas/text/issues';
import { readAhead } from '../store/read-ahead';
import type { Store } from '../store/store';
import { parseSealedJson, writeJson } from '../store/stored-json';

/** Folders of a run's store with each persona's record or failure. */
const RECORDS = 'records';
const FAILURES = 'failures';
/** Records of personas that are being made again. They stay in the data until a new record is stored, even if the new try fails. */
const EARLIER = 'earlier-records';

/** Stores a persona's record, replacing an earlier one. */
export async function writePersona(store: Store, persona: number, stored: StoredPersona): Promise<void> {
  await writeJson(store, buildPersonaFileName(RECORDS, persona), stored);
  await putEarlierAside(store, persona);
}

/** Reads the records that the data consist of, one by one, in order of the personas' numbers. */
export async function* readStoredPersonas(store: Store): AsyncGenerator<StoredPersona> {
  const names = await listStoredPersonas(store);
  yield* readAhead(names, READ_AT_ONCE, ({ name }) => readArtifact(store, name, parseRecord));
}

/** Number of records read at once. */
const READ_AT_ONCE = 8;

/** Lists the personas whose records the data consist of, in order of their numbers, with the names of these records. */
export async function listStoredPersonas(
  store: Store,
): Promise<{ readonly persona: number; readonly name: string }[]> {
  const finished = await listPersonaFiles(store, RECORDS);
  const finishedFiles = new Set(finished.map(buildFileName));
  const earlier = (await listPersonaFiles(store, EARLIER)).filter(
    (name) => !finishedFiles.has(buildFileName(name)),
  );
  return [...finished, ...earlier]
    .map((name) => ({ persona: Number.parseInt(buildFileName(name), 10), name }))
    .toSorted((a, b) => a.persona - b.persona);
}

/** Finds the record of a persona in the data; undefined if there is none. */
export async function findStoredPersona(store: Store, persona: number): Promise<StoredPersona | undefined> {
  for (const folder of [RECORDS, EARLIER]) {
    const stored = await readIfPresent(store, buildPersonaFileName(folder, persona), parseRecord);
    if (stored !== undefined) return stored;
  }
  return undefined;
}

export async function writeFailedPersona(
  store: Store,
  persona: number,
  work: readonly FailedWork[],
): Promise<void> {
  await store.write(buildPersonaFileName(FAILURES, persona), `${JSON.stringify(work, null, 2)}\n`);
}

/** Reads the failed work, persona by persona, in order of their numbers. */
export async function readFailedPersonas(store: Store): Promise<FailedWork[][]> {
  const failed: FailedWork[][] = [];
  for (const name of await listPersonaFiles(store, FAILURES)) {
    failed.push(await readArtifact(store, name, parseFailures));
  }
  return failed;
}

/** Lists the numbers of the finished and the failed personas. */
export async function listClosedPersonas(store: Store): Promise<{ finished: number[]; failed: number[] }> {
  const numbers = async (folder: string) =>
    (await listPersonaFiles(store, folder)).map((name) => Number.parseInt(name.slice(folder.length + 1), 10));
  return { finished: await numbers(RECORDS), failed: await numbers(FAILURES) };
}

export async function isStored(store: Store, persona: number): Promise<boolean> {
  return (await store.read(buildPersonaFileName(RECORDS, persona))) !== undefined;
}

/**
 * Moves aside the records and failures of personas that were restarted, so that they count as neither finished nor failed. Failures go
 * under `superseded/`, because they were paid for; a record stays in the data until a new one is stored. Idempotent.
 */
export async function supersedePersonas(store: Store, restarts: readonly Restart[]): Promise<void> {
  // The last restart of a persona has its highest revision.
  const revisions = new Map(restarts.map(({ persona, revision }) => [persona, revision]));
  for (const [persona, revision] of revisions) {
    const failed = await readIfPresent(store, buildPersonaFileName(FAILURES, persona), parseFailures);
    if (failed?.some((work) => (work.revision ?? 0) < revision)) await supersedeFailure(store, persona);
    const stored = await readIfPresent(store, buildPersonaFileName(RECORDS, persona), parseRecord);
    if (stored !== undefined && (stored.revision ?? 0) < revision) {
      await putEarlierAside(store, persona);
      await store.move(buildPersonaFileName(RECORDS, persona), buildPersonaFileName(EARLIER, persona));
    }
  }
}

/** Moves aside a persona's failure, so that it does not count as failed. Idempotent. */
export async function supersedeFailure(store: Store, persona: number): Promise<void> {
  const note = buildPersonaFileName(FAILURES, persona);
  const failures = (await store.list(FAILURES)).filter((name) => isOfPersona(persona, name) && name !== note);
  // The note marks the failure, so it is moved last.
  for (const name of [...failures, note]) await putAside(store, persona, name);
}

async function putEarlierAside(store: Store, persona: number): Promise<void> {
  const earlier = buildPersonaFileName(EARLIER, persona);
  if ((await store.list(EARLIER)).includes(earlier)) await putAside(store, persona, earlier);
}

/** Moves a file to an unused name, such as `superseded/0000017/failures-1/p17-s3.json`. */
async function putAside(store: Store, persona: number, name: string): Promise<void> {
  const [folder = '', file = ''] = name.split('/');
  const prefix = `superseded/${buildPersonaFileName('', persona).slice(1, -'.json'.length)}`;
  for (let number = 1; ; number += 1) {
    const aside = `${prefix}/${folder}-${number}`;
    if ((await store.list(aside)).includes(`${aside}/${file}`)) continue;
    return store.move(name, `${aside}/${file}`);
  }
}

/** Returns true for a persona's note, such as `failures/0000017.json`, and for its other files, such as `failures/p17-s3.json`. */
function isOfPersona(persona: number, name: string): boolean {
  return new RegExp(`/(0*|p)${persona}(\\D|$)`).test(name);
}

/** Lists the personas' files in a folder, which may hold others too. */
async function listPersonaFiles(store: Store, folder: string): Promise<string[]> {
  return (await store.list(folder)).filter((name) => /\/\d+\.json$/.test(name));
}

function buildFileName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

type Parse<T> = (name: string, text: string) => ReturnType<typeof parseJson<T>>;

const parseRecord: Parse<StoredPersona> = (name, text) => parseSealedJson(storedPersonaSchema, name, text);

/** Parses the failed work of a persona. It has no hash, because people read it as it is among the outputs. */
const parseFailures: Parse<FailedWork[]> = (name, text) => parseJson(z.array(failedWorkSchema), name, text);

async function readArtifact<T>(store: Store, name: string, parse: Parse<T>): Promise<T> {
  const artifact = await readIfPresent(store, name, parse);
  if (artifact === undefined) throw createDamagedArtifactError(name, 'it is missing');
  return artifact;
}

async function readIfPresent<T>(store: Store, name: string, parse: Parse<T>): Promise<T | undefined> {
  const text = await store.read(name);
  if (text === undefined) return undefined;
  const { value, problem } = parse(name, text);
  if (problem === undefined) return value;
  throw createDamagedArtifactError(name, problem);
}

function createDamagedArtifactError(name: string, problem: string): Error {
  return new Error(
    `.cupid/${name} in the run's folder is damaged (${problem}). Delete it and repeat the cupid synth command of this run: the file is built again from the journal.`,
  );
}

// Padded, so that names sort by number.
function buildPersonaFileName(folder: string, persona: number): string {
  return `${folder}/${String(persona).padStart(7, '0')}.json`;
}
