import type { RunInputs } from '../../schemas/run/run';
import { buildJournalKey, buildWorkId, type SynthesisWork } from './key';
import { countRestarts } from './revisions';

/** Identifies work in commands. */
export interface WorkReference {
  readonly id: string;
  readonly type: 'run' | 'persona' | 'dialogue';
}

export function buildWorkReference(run: string, work: SynthesisWork): WorkReference {
  const { persona, session } = work;
  const ofPersona = session === undefined ? 'persona' : 'dialogue';
  return { id: buildWorkId(run, work), type: persona === undefined ? 'run' : ofPersona };
}

/** Returns the workflow that does this work; a dialogue belongs to its persona's workflow. */
export function getWorkflow(
  run: string,
  { persona }: SynthesisWork,
): { id: string; type: 'run' | 'persona' } {
  return { id: buildWorkId(run, { persona }), type: persona === undefined ? 'run' : 'persona' };
}

/** Parses the id of some work of this run, with or without the run's id: `p17/s3`, `17/s3`, `p17`, `17`. */
export function parseWork(run: string, name: string): SynthesisWork | undefined {
  if (name === run) return {};
  const workName = name.startsWith(`${run}/`) ? name.slice(run.length + 1) : name;
  const [, persona, session] = /^p?(\d+)(?:\/s?(\d+))?$/.exec(workName) ?? [];
  if (persona === undefined) return undefined;
  return { persona: Number(persona), ...(session === undefined ? {} : { session: Number(session) }) };
}

/** Places in a run's journal: all calls of some workflows, and single calls. */
interface RecordedPlaces {
  readonly workflowIds: readonly string[];
  readonly keys: readonly string[];
}

/**
 * Lists where the journal has the calls of some work and of everything that they depend on. These are the ids whose entries are all needed, and
 * the keys of the persona's description in every revision.
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
  const revisions = countRestarts(restarts, persona);
  const { maxRepairs, maxSamples } = settings.steps.describe;
  const keys: string[] = [];
  // The key names a batch by its first persona, which is at most one batch before this one.
  for (let first = Math.max(1, persona - settings.describeBatch + 1); first <= persona; first += 1) {
    for (let revision = 0; revision <= revisions; revision += 1) {
      for (let attempt = 0; attempt < (maxRepairs + 1) * maxSamples; attempt += 1) {
        keys.push(buildJournalKey({ workflowId: id, revision, step: 'describe', turn: first, attempt }));
      }
    }
  }
  return { workflowIds, keys };
}
