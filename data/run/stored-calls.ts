import { toUSVString } from 'node:util';
import {
  missingCallSchema,
  type RevisionCounts,
  type MissingCall,
  type StoredCalls,
} from '../../schemas/evaluation/evaluation';
import { parseJson } from '../../schemas/text/issues';
import type { JournalEntry } from '../../schemas/run/journal';
import type { Journal } from './journal';
import type { Store } from '../store/store';

/** Stores why a call of a workflow has no usable answer. */
export async function writeMissingCall(store: Store, workflowId: string, call: MissingCall): Promise<void> {
  // A message cut inside a character would be invalid in a table.
  const note = { ...call, cause: toUSVString(call.cause) };
  await store.write(buildNoteName(workflowId, call), JSON.stringify(note));
}

/**
 * Supersedes a call, so that it is asked in its next revision. What was noted of it is kept; without a note, its answer is damaged or lost, or
 * was built on one that is. Harmless to repeat.
 * @param revision how often it was retried before
 */
export async function supersedeCall(
  store: Store,
  workflowId: string,
  { step, turn }: Pick<MissingCall, 'step' | 'turn'>,
  revision: number,
): Promise<void> {
  const superseded = buildSupersededName(workflowId, { step, turn }, revision);
  await store.move(buildNoteName(workflowId, { step, turn }), superseded);
  const cause = 'Its answer was damaged or lost, or was built on one that was.';
  await store.create(superseded, JSON.stringify({ step, turn, kind: 'damaged', cause }));
}

/** Reads all records of a workflow's calls: the answers, and why others have none. @throws JournalError for a damaged answer */
export async function readStoredCalls(
  { store, journal }: { readonly store: Store; readonly journal: Journal },
  workflowId: string,
): Promise<StoredCalls> {
  return readCallsBeside(store, workflowId, await journal.ofWorkflow(workflowId));
}

/** Reads the other records of a workflow's calls, besides its answers. */
export async function readCallsBeside(
  store: Store,
  workflowId: string,
  entries: readonly JournalEntry[],
): Promise<StoredCalls> {
  const [missing, revisions] = await Promise.all([
    readMissingCalls(store, workflowId),
    readRevisions(store, workflowId),
  ]);
  return { entries, missing, ...(revisions === undefined ? {} : { revisions }) };
}

/** Lists the workflows that have, or had before a retry, calls without a usable answer. */
export async function listWorkflowsWithMissing(store: Store): Promise<Set<string>> {
  const folders = await Promise.all([MISSING, ASIDE].map((folder) => store.list(folder)));
  return new Set(folders.flat().map((name) => decodeURIComponent(name.slice(name.lastIndexOf('/') + 1))));
}

/** Records of the calls of many workflows, which were listed once: looking for what most of them lack would take longer than reading the rest. */
interface ListedCalls {
  /** Returns the keys of a workflow's answers, if each of its calls has one, or is still to be made; undefined if a call has, or had, no usable one. */
  findKeys(workflowId: string): Promise<readonly string[] | undefined>;
  read(workflowId: string): Promise<StoredCalls>;
}

/** Lists the records of an evaluation's calls. */
export async function listStoredCalls(evaluation: {
  readonly store: Store;
  readonly journal: Journal;
}): Promise<ListedCalls> {
  const listing = await evaluation.journal.list();
  const withMissing = await listWorkflowsWithMissing(evaluation.store);
  const findKeys: ListedCalls['findKeys'] = async (workflowId) =>
    withMissing.has(workflowId) ? undefined : listing.keysOf(workflowId);
  return {
    findKeys,
    async read(workflowId) {
      const keys = await findKeys(workflowId);
      if (keys === undefined) return readStoredCalls(evaluation, workflowId);
      return {
        entries: keys.length === 0 ? [] : await evaluation.journal.ofWorkflow(workflowId),
        missing: [],
      };
    },
  };
}

/** Reads the revision of each call: one above that of its latest superseded note. */
async function readRevisions(store: Store, workflowId: string): Promise<RevisionCounts | undefined> {
  const revisions: Record<string, number> = {};
  for (const name of await store.list(buildSupersededFolder(workflowId))) {
    const { place, revision } = /\/(?<place>[^/]+)\.r(?<revision>\d+)\.json$/.exec(name)?.groups ?? {};
    if (place === undefined) continue;
    revisions[place] = Math.max(revisions[place] ?? 0, Number(revision) + 1);
  }
  return Object.keys(revisions).length === 0 ? undefined : revisions;
}

async function readMissingCalls(store: Store, workflowId: string): Promise<MissingCall[]> {
  const names = await store.list(buildMissingFolderName(workflowId));
  return Promise.all(
    names.map(async (name) => {
      const { value, problem } = parseJson(missingCallSchema, name, (await store.read(name)) ?? '');
      if (problem === undefined) return value;
      throw new Error(
        `.cupid/${name} is damaged. Delete that file and run the same command again, which repeats the call.`,
      );
    }),
  );
}

function buildNoteName(workflowId: string, { step, turn }: Pick<MissingCall, 'step' | 'turn'>): string {
  return `${buildMissingFolderName(workflowId)}/${step}.t${turn}.json`;
}

function buildMissingFolderName(workflowId: string): string {
  return `${MISSING}/${encodeURIComponent(workflowId)}`;
}

function buildSupersededName(
  workflowId: string,
  { step, turn }: Pick<MissingCall, 'step' | 'turn'>,
  revision: number,
): string {
  return `${buildSupersededFolder(workflowId)}/${step}.t${turn}.r${revision}.json`;
}

function buildSupersededFolder(workflowId: string): string {
  return `${ASIDE}/${encodeURIComponent(workflowId)}`;
}

const MISSING = 'missing';
/** Notes of retried calls, kept because the calls were paid for. */
const ASIDE = `superseded/${MISSING}`;
