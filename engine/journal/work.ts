import type { RunInputs } from '../../schemas/run/run';
import { buildJournalKey, buildWorkId, type SynthesisWork } from './key';

/** Work by its id, as commands name it. */
export interface WorkReference {
  readonly id: string;
  readonly type: 'run' | 'persona' | 'dialogue';
}

export function buildWorkReference(run: string, work: SynthesisWork): WorkReference {
  const { persona, session } = work;
  const ofPersona = session === undefined ? 'persona' : 'dialogue';
  return { id: buildWorkId(run, work), type: persona === undefined ? 'run' : ofPersona };
}

/** Returns the workflow that does this work: a dialogue is done by the workflow of its persona. */
export function getWorkflow(
  run: string,
  { persona }: SynthesisWork,
): { id: string; type: 'run' | 'persona' } {
  return { id: buildWorkId(run, { persona }), type: persona === undefined ? 'run' : 'persona' };
}

/** Work of this run by its id, or by what follows the run's: `p17/s3`, `17/s3`, `p17`, `17`. */
export function parseWork(run: string, name: string): SynthesisWork | undefined {
  if (name === run) return {};
  const own = name.startsWith(`${run}/`) ? name.slice(run.length + 1) : name;
  const [, persona, session] = /^p?(\d+)(?:\/s?(\d+))?$/.exec(own) ?? [];
  if (persona === undefined) return undefined;
  return { persona: Number(persona), ...(session === undefined ? {} : { session: Number(session) }) };
}

/** Places in a run's journal: everything of some workflows, and single calls. */
export interface RecordedPlaces {
  readonly workflowIds: readonly string[];
  readonly keys: readonly string[];
}

/**
 * Lists the places in the journal of some work's calls and of those that they depend on: the ids under which all entries are wanted, and the keys
 * under which the persona may have been described, in every revision.
 */
export function listRecordedCalls(
  { id, settings, restarts, seeds }: RunInputs,
  work: SynthesisWork,
): RecordedPlaces {
  const { persona, session } = work;
  if (persona === undefined) return { workflowIds: [id], keys: [] };
  const workflowIds = [
    buildWorkId(id, { persona }),
    ...(session === undefined ? [] : [buildWorkId(id, work)]),
  ];
  if (seeds.origin === 'personas') return { workflowIds, keys: [] };
  const revisions = Math.max(
    0,
    ...restarts.filter((one) => one.persona === persona).map((one) => one.generation),
  );
  const { asks, samples } = settings.steps.describe;
  const keys: string[] = [];
  // A batch is named by its first persona, which is no more than a batch before this one.
  for (let first = Math.max(1, persona - settings.describeBatch + 1); first <= persona; first += 1) {
    for (let revision = 0; revision <= revisions; revision += 1) {
      for (let ask = 0; ask < asks * samples; ask += 1) {
        keys.push(buildJournalKey({ workflowId: id, revision, step: 'describe', turn: first, ask }));
      }
    }
  }
  return { workflowIds, keys };
}
