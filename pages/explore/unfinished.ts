import { listClosedPersonas } from '../../data/run/artifacts';
import { openJournal } from '../../data/run/journal';
import { buildPersonaWorkflowId, parseStepKey } from '../../engine/journal/key';
import { parseWork } from '../../engine/journal/work';
import { readRunFile } from '../../runs/folder/run-folder';
import type { UnfinishedView } from './answers';
import type { OpenSynthesis } from '../../runs/folder/run-folder';

/** Lists the personas that a run has begun and not finished, with the turns of their dialogues so far. */
export async function readUnfinished({ folder, plan }: OpenSynthesis): Promise<UnfinishedView[]> {
  if ((await readRunFile(folder))?.state === 'finished') return [];
  const { id, settings } = plan.inputs;
  const listing = await openJournal(folder.store).list();
  // Listed after the journal: a persona that ends in between is not shown twice.
  const { finished, failed } = await listClosedPersonas(folder.store);
  const closed = new Set([...finished, ...failed]);
  const views: UnfinishedView[] = [];
  for (let persona = 1; persona <= settings.nPersonas; persona += 1) {
    if (closed.has(persona)) continue;
    const keys = await listing.keysOf(buildPersonaWorkflowId(id, persona));
    if (keys.length > 0) views.push({ persona, calls: keys.length, sessions: listSessions(id, keys) });
  }
  return views;
}

function listSessions(run: string, keys: readonly string[]): UnfinishedView['sessions'] {
  const turns = new Map<number, number>();
  for (const text of keys) {
    const key = parseStepKey(text, ['assistant', 'user']);
    const session = key && parseWork(run, key.workflowId)?.session;
    if (key === undefined || session === undefined) continue;
    turns.set(session, Math.max(turns.get(session) ?? 0, Number(key.turn)));
  }
  return [...turns]
    .map(([session, count]) => ({ session, turns: count }))
    .toSorted((a, b) => a.session - b.session);
}
