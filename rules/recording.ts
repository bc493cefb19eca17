import type { RunInputs } from '../schemas/run';
import { journalKey, dialogueWorkflowId, personaWorkflowId } from './journal-key';

/** What a workflow of a run is about; nothing for the run's own. */
export interface RecordedWork {
  readonly persona?: number | undefined;
  readonly session?: number | undefined;
}

/** The id and type of the workflow that does this work. */
export function workflowOf(
  run: string,
  { persona, session }: RecordedWork,
): { id: string; type: 'run' | 'persona' | 'dialogue' } {
  if (persona === undefined) return { id: run, type: 'run' };
  return session === undefined
    ? { id: personaWorkflowId(run, persona), type: 'persona' }
    : { id: dialogueWorkflowId(run, persona, session), type: 'dialogue' };
}

/** What a workflow of this run is about, by its id, or by what follows the run's: `p17/s3`, `17/s3`, `p17`, `17`. */
export function workNamed(run: string, name: string): RecordedWork | undefined {
  if (name === run) return {};
  const own = name.startsWith(`${run}/`) ? name.slice(run.length + 1) : name;
  const [, persona, session] = /^p?(\d+)(?:\/s?(\d+))?$/.exec(own) ?? [];
  if (persona === undefined) return undefined;
  return { persona: Number(persona), ...(session === undefined ? {} : { session: Number(session) }) };
}

/**
 * Where the journal has what a persona's or a dialogue's workflow asked, and what it goes by: the workflows whose entries are all
 * wanted, and the keys under which the persona may have been described, in every generation.
 */
export function recordedCalls(
  { id, settings, restarts }: RunInputs,
  { persona, session }: RecordedWork,
): { workflows: string[]; keys: string[] } {
  if (persona === undefined) return { workflows: [id], keys: [] };
  const workflows = [personaWorkflowId(id, persona)];
  if (session !== undefined) workflows.push(dialogueWorkflowId(id, persona, session));
  const generations = Math.max(
    0,
    ...restarts.filter((one) => one.persona === persona).map((one) => one.generation),
  );
  const { asks, samples } = settings.steps.describe;
  const keys: string[] = [];
  // A batch is named by its first persona, which is no more than a batch before this one.
  for (let first = Math.max(1, persona - settings.describeBatch + 1); first <= persona; first += 1) {
    for (let generation = 0; generation <= generations; generation += 1) {
      for (let ask = 0; ask < asks * samples; ask += 1) {
        keys.push(journalKey({ workflowId: id, generation, step: 'describe', turn: first, ask }));
      }
    }
  }
  return { workflows, keys };
}
