import { buildPersonaWorkflowId } from '../../engine/journal/key';
import { readRunFile } from '../../runs/folder/run-folder';
import { EMBEDDED } from '../../schemas/run/run';
import { findRunningUi } from '../../workers/server/temporal-server';
import type { SynthesisRun } from './sources';

/**
 * A persona's workflow in Temporal's UI: in the one that was named, or in that of `cupid server`. Undefined where there is none.
 * @param temporalUi the address of the UI; where the UI of a cluster is, a run does not know
 */
export async function linkPersona(
  run: SynthesisRun,
  persona: number,
  temporalUi: string | undefined,
): Promise<string | undefined> {
  const workflow = buildPersonaWorkflowId(run.plan.inputs.id, persona);
  if (temporalUi === undefined) {
    const ui = await findRunningUi(run.folder.engine);
    return ui === undefined ? undefined : formatWorkflowLink(ui, EMBEDDED, workflow);
  }
  // Read again, since the run may have been continued elsewhere meanwhile.
  return formatWorkflowLink(temporalUi, (await readRunFile(run.folder))?.engine, workflow);
}

/** @param engine as `run.json` has it: `embedded`, or a cluster's address and namespace */
export function formatWorkflowLink(ui: string, engine: string | undefined, workflow: string): string {
  const namespace =
    engine === undefined || engine === EMBEDDED ? 'default' : engine.slice(engine.indexOf(' ') + 1);
  // The UI itself goes on to the workflow's latest execution.
  return `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflow)}`;
}
