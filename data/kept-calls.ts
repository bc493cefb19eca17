import { toUSVString } from 'node:util';
import { missingCallSchema, type MissingCall } from '../schemas/evaluation';
import type { JournalEntry } from '../schemas/journal';
import type { Journal } from './journal';
import type { Store } from './store';

/** Keeps why a call of a workflow gave nothing that could be used. */
export async function keepMissingCall(store: Store, workflowId: string, call: MissingCall): Promise<void> {
  // A message that was cut inside a character could stand in no table.
  const kept = { ...call, cause: toUSVString(call.cause) };
  await store.write(`${folderOf(workflowId)}/${call.step}.t${call.turn}.json`, JSON.stringify(kept));
}

/** All that is kept of a workflow's calls: the answers, and why others gave nothing. */
export async function keptCalls(
  { store, journal }: { readonly store: Store; readonly journal: Journal },
  workflowId: string,
): Promise<{ entries: JournalEntry[]; missing: MissingCall[] }> {
  const [entries, missing] = await Promise.all([
    journal.ofWorkflow(workflowId),
    missingCalls(store, workflowId),
  ]);
  return { entries, missing };
}

/** The workflows that have calls which gave nothing that could be used, in order of their ids. */
export async function workflowsWithMissing(store: Store): Promise<string[]> {
  const folders = await store.list(MISSING);
  return folders.map((folder) => decodeURIComponent(folder.slice(MISSING.length + 1))).toSorted();
}

async function missingCalls(store: Store, workflowId: string): Promise<MissingCall[]> {
  const names = await store.list(folderOf(workflowId));
  return Promise.all(
    names.map(async (name) => {
      const parsed = missingCallSchema.safeParse(JSON.parse((await store.read(name)) ?? 'null'));
      if (parsed.success) return parsed.data;
      throw new Error(
        `${name} in the run's folder is damaged. Delete it, and the same command asks that call again.`,
      );
    }),
  );
}

function folderOf(workflowId: string): string {
  return `${MISSING}/${encodeURIComponent(workflowId)}`;
}

const MISSING = 'missing';
