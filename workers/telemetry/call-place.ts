import { parseJournalKey } from '../../engine/journal/key';

/** Place of a call or a piece of work in its run. */
export interface WorkPlace {
  /** The id of the dialogue; absent for what belongs to none. */
  readonly dialogue?: string;
  readonly persona?: number;
  readonly session?: number;
  readonly turn?: string;
  readonly revision?: number;
  /** From 1. */
  readonly attempt?: number;
}

/** Reads the place from a journal key, or from the id of a workflow or a dialogue. */
export function parseCallPlace(id: string): WorkPlace {
  const call = parseJournalKey(id);
  const { workflowId: work = id } = call ?? {};
  const { persona, session } = WORK.exec(work)?.groups ?? {};
  return {
    ...(persona === undefined ? {} : { persona: Number(persona) }),
    ...(session === undefined ? {} : { session: Number(session), dialogue: work }),
    ...(call === undefined ? {} : { turn: call.turn, revision: call.revision, attempt: call.attempt + 1 }),
  };
}

const WORK = /\/p(?<persona>\d+)(?:\/s(?<session>\d+))?$/;
