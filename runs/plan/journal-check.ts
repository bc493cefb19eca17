import { listClosedPersonas } from '../../data/run/artifacts';
import type { RunPlan } from '../../data/run/inputs';
import { openJournal, type DamagedEntry } from '../../data/run/journal';
import type { Store } from '../../data/store/store';
import { listDescribedBy } from '../../engine/journal/revisions';
import { findGaps, type JournalGap } from './journal-gaps';
import { buildDialogueId, buildPersonaWorkflowId } from '../../engine/journal/key';
import type { JournalEntry } from '../../schemas/run/journal';
import type { RunFile } from '../../schemas/run/run';
import { assertUnchanged, type RunFolder } from '../folder/run-folder';
import { lockRunFolder } from '../folder/run-lock';
import { buildBatches } from '../../engine/journal/batches';

export interface JournalCheck {
  readonly entries: number;
  readonly damaged: readonly DamagedEntry[];
  /** Gaps of the personas without a record. */
  readonly gaps: readonly JournalGap[];
}

/**
 * Reads every entry of a synthesis run's journal. Lists damaged entries, and missing or damaged answers of unfinished personas on which
 * later ones depend.
 * @param report called after each workflow
 */
export async function checkJournal(
  plan: RunPlan,
  store: Store,
  report: (progress: { readonly done: number; readonly total: number }) => void,
): Promise<JournalCheck> {
  const { inputs } = plan;
  const journal = openJournal(store);
  const workflows = new Set(await journal.workflows());
  const total = workflows.size;
  const damaged: DamagedEntry[] = [];
  const gaps: JournalGap[] = [];
  let entries = 0;
  let done = 0;
  const read = async (workflowId: string): Promise<JournalEntry[]> => {
    if (!workflows.delete(workflowId)) return [];
    const found = await journal.inspect(workflowId);
    damaged.push(...found.damaged);
    entries += found.entries.length;
    report({ done: (done += 1), total });
    return found.entries;
  };

  const { id, settings, restarts } = inputs;
  const descriptions = await read(id);
  const finished = new Set((await listClosedPersonas(store)).finished);
  const batches = new Map(
    buildBatches(inputs).flatMap((batch) =>
      listDescribedBy(batch, restarts).map((persona) => [persona, batch] as const),
    ),
  );
  for (let persona = 1; persona <= settings.nPersonas; persona += 1) {
    const own = await read(buildPersonaWorkflowId(id, persona));
    for (let session = 1; session < settings.nSessions; session += 1) {
      own.push(...(await read(buildDialogueId(id, persona, session))));
    }
    if (finished.has(persona)) continue;
    const batch = batches.get(persona);
    if (batch === undefined) continue;
    const described = descriptions.filter(({ key }) => key.includes(`.describe.t${batch.first}.`));
    const recorded = [...described, ...own];
    gaps.push(...(await findGaps(plan, persona, batch, recorded)));
  }
  // All other entries must be intact as well.
  for (const workflowId of workflows) await read(workflowId);
  return { entries, damaged, gaps };
}

/** Moves damaged entries out of the journal, under the folder's lock. */
export async function setDamagedAside(
  folder: RunFolder<RunFile, RunPlan>,
  before: RunPlan,
  damaged: readonly DamagedEntry[],
): Promise<void> {
  if (damaged.length === 0) return;
  await using _lock = await lockRunFolder(folder);
  await assertUnchanged(folder, before);
  const journal = openJournal(folder.store);
  for (const entry of damaged) await journal.setAside(entry);
}
