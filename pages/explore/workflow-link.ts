import { buildPersonaWorkflowId } from '../../engine/journal/key';
import { readRunFile } from '../../runs/folder/run-folder';
import { EMBEDDED, isCluster } from '../../schemas/run/engine';
import { findRunningUi } from '../../workers/server/temporal-server';
import type { OpenSynthesis } from '../../runs/folder/run-folder';

/**
 * Returns the address of a persona's workflow in the given Temporal UI, or else in that of `cupid server`. Undefined if
 * neither exists.
 * @param temporalUi the address of the UI, needed for clusters because a run does not record it
 */
export async function linkPersona(
  run: OpenSynthesis,
  persona: number | null,
  temporalUi: string | undefined,
): Promise<string | undefined> {
  if (persona === null) return undefined;
  const workflow = buildPersonaWorkflowId(run.plan.inputs.id, persona);
  if (temporalUi === undefined) {
    const ui = await findRunningUi(run.folder.engine);
    return ui === undefined ? undefined : formatWorkflowLink(ui, EMBEDDED, workflow);
  }
  // Read again, because the run may have been continued elsewhere meanwhile.
  return formatWorkflowLink(temporalUi, (await readRunFile(run.folder))?.engine, workflow);
}

/** @param engine as `run.json` has it: `embedded`, or a cluster's address and namespace */
export function formatWorkflowLink(ui: string, engine: string | undefined, workflow: string): string {
  const namespace =
    engine !== undefined && isCluster(engine) ? engine.slice(engine.indexOf(' ') + 1) : 'default';
  // The UI redirects to the workflow's latest execution.
  return `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflow)}`;
}
