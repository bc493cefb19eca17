import { listClosedPersonas } from '../../data/run/artifacts';
import type { RunPlan } from '../../data/run/inputs';
import { openJournal, type DamagedEntry } from '../../data/run/journal';
import type { Store } from '../../data/store/store';
import { listDescribedBy } from '../../engine/journal/revisions';
import { findGaps, type JournalGap } from './journal-gaps';
import { listPersonaWorkflows } from '../../engine/journal/key';
import type { JournalEntry } from '../../schemas/run/journal';
import type { RunFile } from '../../schemas/run/run';
import { assertUnchanged, type RunFolder } from '../folder/run-folder';
import { lockRunFolder } from '../folder/run-lock';
import { buildBatches } from '../../engine/journal/batches';
import { openInspection, type ReportWorkflows } from '../plan/inspect-journal';

export interface JournalCheck {
  readonly entries: number;
  readonly damaged: readonly DamagedEntry[];
  /** Gaps of the personas without a record. */
  readonly gaps: readonly JournalGap[];
}

/**
 * Reads every entry of a synthesis run's journal. Lists damaged entries, and missing or damaged answers of unfinished personas on which
 * later ones depend.
 */
export async function checkJournal(
  plan: RunPlan,
  store: Store,
  report: ReportWorkflows,
): Promise<JournalCheck> {
  const { inputs } = plan;
  const { id, settings, restarts } = inputs;
  const inspection = await openInspection(openJournal(store), report);
  const read = async (workflowId: string) => (await inspection.read(workflowId)).entries;
  const gaps: JournalGap[] = [];
  const descriptions = await read(id);
  const finished = new Set((await listClosedPersonas(store)).finished);
  const batches = new Map(
    buildBatches(inputs).flatMap((batch) =>
      listDescribedBy(batch, restarts).map((persona) => [persona, batch] as const),
    ),
  );
  for (let persona = 1; persona <= settings.nPersonas; persona += 1) {
    const personaEntries: JournalEntry[] = [];
    for (const workflowId of listPersonaWorkflows(id, persona, settings.nSessions)) {
      personaEntries.push(...(await read(workflowId)));
    }
    if (finished.has(persona)) continue;
    const batch = batches.get(persona);
    if (batch === undefined) continue;
    const described = descriptions.filter(({ key }) => key.includes(`.describe.t${batch.first}.`));
    const recorded = [...described, ...personaEntries];
    gaps.push(...(await findGaps(plan, persona, batch, recorded)));
  }
  return { ...(await inspection.finish()), gaps };
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
  await openJournal(folder.store).setAside(damaged);
}
