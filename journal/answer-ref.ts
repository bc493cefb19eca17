import type { Step } from '../schemas/step';
import { journalKey, type CallKey } from './key';

/** Which of a step's answers counts: `generation.ask`. Short, since a dialogue carries two for every turn so far. */
export type AnswerRef = string;

export function answerRef(generation: number, ask: number): AnswerRef {
  return `${generation}.${ask}`;
}

/** The journal key of the answer that a ref stands for. */
export function refKey(workflowId: string, step: Step, turn: CallKey['turn'], ref: AnswerRef): string {
  const [generation, ask] = ref.split('.').map(Number);
  if (generation === undefined || ask === undefined) throw new Error(`"${ref}" is not an answer's ref.`);
  return journalKey({ workflowId, generation, step, turn, ask });
}
