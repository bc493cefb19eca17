import type { InstanceType } from '../../../schemas/dataset/instance-type';
import type { Place } from '../finding';

/** What the rules want to know of an instance; factors, preferences and checklists as `spelling` gives them. */
export interface ReadInstance {
  readonly place: Place;
  /** A hash. */
  readonly request: number;
  readonly factor: string;
  readonly preference: string;
  readonly checklist: readonly string[];
  readonly sessions: readonly ReadSession[];
}

export interface ReadSession {
  /** Its place among the prior interactions, from 0. */
  readonly at: number;
  readonly factor: string;
  readonly preference: string;
  /** A hash that identifies the session. */
  readonly dialogue: number;
}

export type PersonaInstances = Readonly<Record<InstanceType, ReadInstance>>;

/** The persona's three, in the order of the types. */
export function listRows({ consistent, contrastive, changing }: PersonaInstances): ReadInstance[] {
  return [consistent, contrastive, changing];
}

export function withFactor({ sessions }: ReadInstance, factor: string | undefined): ReadSession[] {
  return sessions.filter((session) => session.factor === factor);
}

/** How a field of a session is named: `prior_interactions[2].dialogue`. */
export function formatField({ at }: ReadSession, name: string): string {
  return `prior_interactions[${at}].${name}`;
}
