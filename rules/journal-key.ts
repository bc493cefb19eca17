import { stepSchema, type Step } from '../schemas/step';

/** What names one model call of a run: asked again under the same key, it is answered from the journal. */
export interface CallKey {
  readonly workflowId: string;
  /** How many times `cupid retry` has started this work over. */
  readonly generation: number;
  readonly step: Step;
  /**
   * Which call of the step: a dialogue's turn, a preference's number; for a batch of descriptions, which belongs to the run's
   * own workflow, the id of its first persona.
   */
  readonly turn: number;
  /** Our own count of askings, from 0; never Temporal's attempts. */
  readonly ask: number;
}

/** The key as text, such as `run-1/p17/s3#g0.user.t4.a0`; different keys give different texts. */
export function journalKey({ workflowId, generation, step, turn, ask }: CallKey): string {
  return `${workflowId}#g${generation}.${step}.t${turn}.a${ask}`;
}

/** The key that a text stands for. @throws Error when it is none. */
export function parseJournalKey(text: string): CallKey {
  // The last # is the key's own: a workflow id may hold others.
  const [, workflowId = '', generation, stepName, turn, ask] =
    /^([^]*)#g(0|[1-9]\d*)\.([a-z]+)\.t(0|[1-9]\d*)\.a(0|[1-9]\d*)$/.exec(text) ?? [];
  const step = stepSchema.safeParse(stepName);
  if (workflowId === '' || !step.success) {
    throw new Error(
      `"${text}" is no journal key. Expected workflow id, generation, step, turn and ask, such as run-1/p17/s3#g0.user.t4.a0.`,
    );
  }
  return {
    workflowId,
    generation: Number(generation),
    step: step.data,
    turn: Number(turn),
    ask: Number(ask),
  };
}

/** The id of a persona's workflow in a run. */
export function personaWorkflowId(run: string, persona: number): string {
  return `${run}/p${persona}`;
}

/** The id of the workflow of one dialogue of a persona. */
export function dialogueWorkflowId(run: string, persona: number, session: number): string {
  return `${personaWorkflowId(run, persona)}/s${session}`;
}
