import { classifyGrpcError } from '../../engine/grpc';
import { buildBundleName, findBundle, readRecordedEntries } from '../../data/run/bundles';
import { buildRecordedHistory } from '../../data/run/recorded-history';
import { openJournal } from '../../data/run/journal';
import { version } from '../../package.json';
import { buildWorkId, type SynthesisWork } from '../../engine/journal/key';
import { listRecordedCalls, getWorkflow, parseWork } from '../../engine/journal/work';
import type { Bundle, RecordedHistory } from '../../schemas/run/bundle';
import { isSimulatedRun } from '../../engine/model-facts/roles';
import { useClient, type Service } from '../../workers/server/connection';
import type { FoundRun } from '../folder/find-run';
import { findOpenRun, type OpenRun } from '../folder/run-folder';
import { InputError } from '../../schemas/input-error';

/** There is no recording of what was named; the message says why and what to do. */
export class RecordingNotFound extends InputError {
  override readonly name = 'RecordingNotFound';
}

/**
 * The recording of some work of a synthesis run: its bundle if it failed, else what the engine has of it, while that runs.
 * @param folder the run's
 * @param name the work's id, or what follows the run's id in it, such as `17/s3`
 * @param find looks for the run and its engine; called only where the folder does not do
 * @throws RecordingNotFound
 */
export async function findRecording(
  folder: string,
  name: string,
  find: () => Promise<FoundRun>,
): Promise<Bundle> {
  const held = await findOpenRun(folder);
  if (held?.kind !== 'synthesis') {
    const what = held === undefined ? `There is no folder ${folder}` : `${folder} contains an evaluation`;
    throw new RecordingNotFound(
      `${what}, but work is replayed by its id from the folder of a synthesis run. Name the --output-dir of cupid synth.`,
    );
  }
  const { id } = held.plan.inputs;
  const work = parseWork(id, name);
  if (work === undefined) {
    throw new RecordingNotFound(
      `"${name}" names no work of run ${id}. Write 17 for persona 17, 17/s3 for the dialogue of its session 3, or the whole id.`,
    );
  }
  const { nPersonas, nSessions } = held.plan.inputs.settings;
  if (work.persona !== undefined && (work.persona < 1 || work.persona > nPersonas)) {
    throw new RecordingNotFound(
      `"${name}" names no persona of run ${id}: its personas are 1 to ${nPersonas}.`,
    );
  }
  const last = nSessions - 1;
  if ((work.session ?? 1) > last) {
    throw new RecordingNotFound(
      `"${name}" names no dialogue of run ${id}: its personas have the dialogues 1 to ${last}.`,
    );
  }
  return (await bundleOf(held, work)) ?? fetchRecording(await find(), held, work);
}

async function bundleOf(held: Synthesis, { persona, session }: SynthesisWork): Promise<Bundle | undefined> {
  if (persona === undefined) return undefined;
  return findBundle(held.folder.store, buildBundleName({ persona, session }));
}

type Synthesis = Extract<OpenRun, { readonly kind: 'synthesis' }>;

async function fetchRecording(found: FoundRun, held: Synthesis, work: SynthesisWork): Promise<Bundle> {
  const { inputs, templates } = held.plan;
  const id = buildWorkId(inputs.id, work);
  if (found.service === undefined) {
    const engine =
      found.outOfReach ??
      `its engine is stopped. To replay work that did not fail, start the engine: cupid server --output-dir ${found.name}`;
    throw new RecordingNotFound(`${found.name} has no bundle of ${id}, and ${engine}`);
  }
  const history = await readHistory(found.service, getWorkflow(inputs.id, work).id);
  if (history === undefined) {
    throw new RecordingNotFound(
      `${found.name} has no bundle of ${id}, and the ${found.engine} has no workflow of it. It has not started yet, or its history was deleted when the run was restarted (cupid retry, more personas, another version) or when the retention period ended.`,
    );
  }
  const lacks: string[] = [];
  const entries = await readRecordedEntries(
    openJournal(held.folder.store),
    listRecordedCalls(inputs, work),
    (what) => lacks.push(what),
  );
  const template = templates.find((one) => one.id === work.persona);
  return {
    format: 2,
    work,
    simulated: isSimulatedRun(inputs),
    versions: { program: version, workflows: held.folder.run?.codeVersion ?? 'unknown' },
    inputs,
    ...(template === undefined ? {} : { template }),
    entries,
    history,
    lacks,
  };
}

/** What a Temporal service has recorded of a workflow, up to now if it is still open; undefined when it knows no such. */
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
