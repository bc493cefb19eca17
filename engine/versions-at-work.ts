import type { WorkflowClient } from '@temporalio/client';
import { buildControlWorkflowId } from './journal/key';

/** The versions whose workers report to a run's control. */
interface VersionsAtWork {
  readonly versions: ReadonlySet<string>;
  /** False if living workers may not have reported yet, because the control has just begun. */
  readonly isComplete: boolean;
}

/** Returns the versions at work; undefined if the run's control does not answer, because nothing is known then. */
export async function findVersionsAtWork(
  client: WorkflowClient,
  run: string,
): Promise<VersionsAtWork | undefined> {
  const control = client.getHandle(buildControlWorkflowId(run));
  try {
    return await client.withDeadline(Date.now() + ANSWER_MS, async () => {
      // A completed workflow would answer with its last state.
      if ((await control.describe()).status.name !== 'RUNNING') return undefined;
      const { knowsAll, workers } = await control.query<Standing>('controlState');
      return { versions: new Set(workers.map(({ codeVersion }) => codeVersion)), isComplete: knowsAll };
    });
  } catch {
    return undefined;
  }
}

/** Returns true if it is certain that no worker of a version is left. */
export function haveGone(version: string, atWork: VersionsAtWork | undefined): boolean {
  return atWork !== undefined && atWork.isComplete && !atWork.versions.has(version);
}

/** The fields of `ControlState` that are needed here; the type belongs to the workflows. */
interface Standing {
  readonly knowsAll: boolean;
  readonly workers: readonly { readonly codeVersion: string }[];
}

const ANSWER_MS = 5_000;
