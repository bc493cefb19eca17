import type { WorkflowClient } from '@temporalio/client';
import { buildControlWorkflowId } from './journal/key';

/** The versions whose workers report to the control of a run. */
interface VersionsAtWork {
  readonly versions: ReadonlySet<string>;
  /** False while living workers may not have reported yet: the control has just begun. */
  readonly isComplete: boolean;
}

/** Returns undefined while the run's control does not answer: then nothing is known. */
export async function findVersionsAtWork(
  client: WorkflowClient,
  run: string,
): Promise<VersionsAtWork | undefined> {
  const control = client.getHandle(buildControlWorkflowId(run));
  try {
    return await client.withDeadline(Date.now() + ANSWER_MS, async () => {
      // One that has ended would answer as things were then.
      if ((await control.describe()).status.name !== 'RUNNING') return undefined;
      const { knowsAll, workers } = await control.query<Standing>('controlState');
      return { versions: new Set(workers.map(({ codeVersion }) => codeVersion)), isComplete: knowsAll };
    });
  } catch {
    return undefined;
  }
}

/** Returns true when it is certain that no worker of a version is left. */
export function haveGone(version: string, atWork: VersionsAtWork | undefined): boolean {
  return atWork !== undefined && atWork.isComplete && !atWork.versions.has(version);
}

/** What is asked of `ControlState`, which belongs to the workflows. */
interface Standing {
  readonly knowsAll: boolean;
  readonly workers: readonly { readonly codeVersion: string }[];
}

const ANSWER_MS = 5_000;
