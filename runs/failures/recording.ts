import { classifyGrpcError } from '../../engine/grpc';
import { isStored } from '../../data/run/artifacts';
import { buildBundleName, findBundle, readRecordedCalls } from '../../data/run/bundles';
import { buildRecordedHistory } from '../../data/run/recorded-history';
import { version } from '../../package.json';
import { buildWorkId, type SynthesisWork } from '../../engine/journal/key';
import { listDescribedWith } from '../../engine/journal/batches';
import { listRecordedCalls, getWorkflow, parseWork } from '../../engine/journal/work';
import type { Bundle, RecordedHistory } from '../../schemas/run/bundle';
import { isSimulatedRun } from '../../engine/model-facts/roles';
import { useClient, type Service } from '../../workers/server/connection';
import type { FoundRun } from '../folder/find-run';
import { findOpenRun, type OpenSynthesis } from '../folder/run-folder';
import { InputError } from '../../schemas/input-error';
import { FOLDER_FORMAT } from '../../schemas/run/folder-format';

/**
 * Finds the recording of some work of a synthesis run: its bundle if it failed, else the records in the run's folder.
 * @param folder the run's
 * @param name the work's id, or what follows the run's id in it, such as `17/s3`
 * @throws InputError
 */
export async function findRecording(folder: string, name: string): Promise<Bundle> {
  const openRun = await findOpenRun(folder);
  if (openRun?.kind !== 'synthesis') {
    const problem =
      openRun === undefined ? `There is no folder ${folder}` : `${folder} contains an evaluation`;
    throw new InputError(
      `${problem}, but work is replayed by its id from the folder of a synthesis run. Name the --output-dir of cupid synth.`,
    );
  }
  const { id } = openRun.plan.inputs;
  const work = parseWork(id, name);
  if (work === undefined) {
    throw new InputError(
      `"${name}" names no work of run ${id}. Write 17 for persona 17, 17/s3 for the dialogue of its session 3, or the whole id.`,
    );
  }
  const { nPersonas, nSessions } = openRun.plan.inputs.settings;
  if (work.persona !== undefined && (work.persona < 1 || work.persona > nPersonas)) {
    throw new InputError(`"${name}" names no persona of run ${id}: its personas are 1 to ${nPersonas}.`);
  }
  const last = nSessions - 1;
  if ((work.session ?? 1) > last) {
    throw new InputError(
      `"${name}" names no dialogue of run ${id}: its personas have the dialogues 1 to ${last}.`,
    );
  }
  const bundle = await findBundleOf(openRun, work);
  return bundle ?? readRecording(openRun, work);
}

async function findBundleOf(
  synthesis: OpenSynthesis,
  { persona, session }: SynthesisWork,
): Promise<Bundle | undefined> {
  if (persona === undefined) return undefined;
  return findBundle(synthesis.folder.store, buildBundleName({ persona, session }));
}

async function readRecording({ folder, plan }: OpenSynthesis, work: SynthesisWork): Promise<Bundle> {
  const { inputs, prompts, templates } = plan;
  const { persona } = work;
  const described = persona === undefined ? undefined : new Set(listDescribedWith(inputs, persona));
  const isFinished = persona !== undefined && (await isStored(folder.store, persona));
  const missingParts: string[] = [];
  return {
    format: FOLDER_FORMAT,
    work,
    ...(isFinished ? { finished: true } : {}),
    simulated: isSimulatedRun(inputs),
    versions: { program: version, code: folder.run?.codeVersion ?? 'unknown' },
    inputs,
    prompts,
    templates: templates.filter(({ id }) => described?.has(id) ?? true),
    ...(await readRecordedCalls(folder.store, listRecordedCalls(inputs, work), (gap) =>
      missingParts.push(gap),
    )),
    missingParts,
  };
}

/**
 * Finds the history of the workflow of some recorded work: in its bundle, else in the engine of its run while that runs.
 * @param find looks for the run and its engine; absent where there is only a bundle
 * @throws InputError; Error when the bundle has no history
 */
export async function findHistory(
  { inputs, work, history, missingParts }: Bundle,
  find: (() => Promise<FoundRun>) | undefined,
): Promise<RecordedHistory> {
  if (history !== undefined) return history;
  const id = buildWorkId(inputs.id, work);
  if (find === undefined) throw new Error(`The bundle of ${id} has no history. ${missingParts.join(' ')}`);
  const run = await find();
  if (run.service === undefined) {
    const engine =
      run.outOfReach ??
      `its embedded Temporal server is stopped. To replay the history of work that did not fail, start it: cupid server --output-dir ${run.name}`;
    throw new InputError(`${run.name} has no history of ${id}, and ${engine}`);
  }
  const fetched = await readHistory(run.service, getWorkflow(inputs.id, work).id);
  if (fetched !== undefined) return fetched;
  throw new InputError(
    `${run.name} has no history of ${id}, and the ${run.engine} has no workflow of it. It has not started yet, or its history was deleted when the run was started again or when the retention period ended.`,
  );
}

/** Reads the history of a workflow from Temporal, up to now if it is still open; undefined if there is no such workflow. */
export async function readHistory(
  service: Service,
  workflowId: string,
): Promise<RecordedHistory | undefined> {
  try {
    return await useClient(service, async ({ workflow }) =>
      buildRecordedHistory(await workflow.getHandle(workflowId).fetchHistory()),
    );
  } catch (error) {
    if (classifyGrpcError(error) === 'not-found') return undefined;
    throw error;
  }
}
