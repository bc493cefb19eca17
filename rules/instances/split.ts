import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import { INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import type { PersonaRecord } from '../../schemas/dataset/record';
import type { Session } from '../../schemas/dataset/session';
import { buildStoredOpening } from '../dialogue/messages';
import { createRandom } from '../sampling/random';

/** An instance, and the sessions of the journey that are its prior interactions, in order. */
export interface SplitInstance {
  instance: Instance;
  priorSessions: number[];
}

/**
 * Returns the consistent, contrastive and changing instance of a persona (paper, B.5). Each has all but five of the journey's sessions as prior
 * interactions. The latter two also leave out two sessions of other factors, drawn at random, so that all three have the same number.
 * @throws Error that names the persona and what its record lacks
 */
export function splitInstances(record: PersonaRecord, seed: number): SplitInstance[] {
  const parts = getParts(record);
  const leftOut = createRandom(seed, 'left out', record.persona.id).sample(parts.otherSessions, 2);
  const { consistent, contrastive, changing, otherSessions, last } = parts;
  const remainingSessions = otherSessions.filter((session) => !leftOut.includes(session));
  const [earlier] = consistent;
  const split: Record<InstanceType, { prior: Session[]; current: Session }> = {
    consistent: { prior: [...consistent, ...otherSessions], current: earlier },
    contrastive: { prior: [...consistent, ...contrastive, ...remainingSessions], current: earlier },
    changing: { prior: [...consistent, ...changing, ...remainingSessions], current: last },
  };
  return INSTANCE_TYPES.map((type) => {
    const prior = split[type].prior.toSorted((a, b) => a.id - b.id);
    return {
      instance: {
        persona_id: record.persona_id,
        instance_type: type,
        current_request: buildStoredOpening(last),
        current_context_factor: last.context_factor,
        current_contextual_preference: split[type].current.preference,
        current_checklist: split[type].current.checklist,
        prior_interactions: prior.map((session) => buildPriorInteraction(session, record)),
      },
      priorSessions: prior.map(({ id }) => id),
    };
  });
}

/**
 * Returns the numbers of the sessions that a persona's instances are about, without the last: those of factor A with either preference, and of its
 * contrastive partner. The dialogues of these sessions must express the preferences (paper, 3.2).
 * @throws Error that names the persona and what its record lacks
 */
export function listRelevantSessions(record: PersonaRecord): number[] {
  const { consistent, contrastive, changing } = getParts(record);
  return [...consistent, ...contrastive, ...changing].map(({ id }) => id).toSorted((a, b) => a - b);
}

interface Parts {
  last: Session;
  /** With factor A and its original preference. */
  consistent: [Session, Session];
  /** With factor A's contrastive partner. */
  contrastive: Session[];
  /** With factor A and the changed preference. */
  changing: Session[];
  otherSessions: Session[];
}

function getParts(record: PersonaRecord): Parts {
  const prior = record.sessions.slice(0, -1);
  const last = record.sessions.at(-1);
  if (last === undefined) throw createIncompleteError(record, 'has no sessions');
  const a = record.context_factors.find(({ factor }) => factor === last.context_factor);
  const b = record.context_factors.find(({ factor }) => factor === a?.related_factor);
  if (a === undefined || b === undefined) {
    throw createIncompleteError(
      record,
      `lacks a context factor: its last session's, "${last.context_factor}", and the contrastive partner of that one must be among them`,
    );
  }
  const withA = prior.filter((session) => session.context_factor === a.factor);
  const [first, second, ...changing] = withA;
  const contrastive = prior.filter((session) => session.context_factor === b.factor);
  const otherSessions = prior.filter((session) => !withA.includes(session) && !contrastive.includes(session));
  if (
    first === undefined ||
    second === undefined ||
    changing.length !== 2 ||
    contrastive.length !== 2 ||
    otherSessions.length < 2
  ) {
    throw createIncompleteError(
      record,
      `has ${withA.length}, ${contrastive.length} and ${otherSessions.length} sessions before the last with its factor, with the contrastive one and with others, where 4, 2 and at least 2 are needed`,
    );
  }
  return { last, consistent: [first, second], contrastive, changing, otherSessions };
}

function buildPriorInteraction(session: Session, record: PersonaRecord): PriorInteraction {
  const interaction = record.interactions.find(({ session_id: id }) => id === session.id);
  if (interaction === undefined || interaction.chat.length === 0) {
    throw createIncompleteError(record, `has no dialogue for session ${session.id}`);
  }
  return {
    context_factor: session.context_factor,
    contextual_preference: session.preference,
    dialogue: interaction.chat,
  };
}

function createIncompleteError(record: PersonaRecord, problem: string): Error {
  return new Error(`Persona ${record.persona_id} is incomplete and yields no instances: it ${problem}.`);
}
