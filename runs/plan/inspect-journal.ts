import type { DamagedEntry, Journal } from '../../data/run/journal';
import { formatCount, formatNumber } from '../../schemas/text/count-text';

/** Opens a reading of a whole journal, in which each workflow is read once. @param report called after each workflow */
export async function openInspection(journal: Journal, report: ReportWorkflows) {
  const unreadIds = new Set(await journal.workflows());
  const total = unreadIds.size;
  const damaged: DamagedEntry[] = [];
  let entries = 0;
  const read: Journal['inspect'] = async (workflowId) => {
    if (!unreadIds.delete(workflowId)) return { entries: [], damaged: [] };
    const inspected = await journal.inspect(workflowId);
    damaged.push(...inspected.damaged);
    entries += inspected.entries.length;
    report({ done: total - unreadIds.size, total });
    return inspected;
  };
  return {
    read,
    /** Reads all other workflows, whose entries must be intact as well, and returns the intact and the damaged entries of all. */
    async finish() {
      for (const workflowId of unreadIds) await read(workflowId);
      return { entries, damaged };
    },
  };
}

export type ReportWorkflows = (progress: { readonly done: number; readonly total: number }) => void;

/** Describes a damaged entry for the user, and in a sentence what follows from it. */
export function describeDamage({ key, name, problem }: DamagedEntry, ...effect: readonly string[]): string {
  const sentences = [`${problem}.`, ...effect, 'The file is moved to .cupid/damaged/.'];
  return `Damaged: ${key} (.cupid/${name}): ${sentences.join(' ')}`;
}

/** Describes the result of an inspection for the user. */
export function describeCheck(entries: number, damaged: number, missing: number): string {
  return `Checked the journal: ${formatCount(entries, 'entry is', 'entries are')} intact, ${formatNumber(damaged)} damaged, ${formatNumber(missing)} missing.`;
}
