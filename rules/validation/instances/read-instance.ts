import type { Instance } from '../../../schemas/dataset/instance';
import type { InstanceType } from '../../../schemas/dataset/instance-type';
import { stripFinalStop } from '../../texts/spelling';
import type { Place } from '../finding';
import { hashText } from '../../texts/text-hash';

/** Fields of an instance that the rules compare: texts without a final full stop and spaces around them, dialogues as hashes. */
export interface ReadInstance {
  readonly place: Place & { readonly instance_type: InstanceType };
  /** A hash. */
  readonly request: number;
  readonly factor: string;
  readonly preference: string;
  /** The items as JSON. */
  readonly checklist: string;
  readonly sessions: readonly ReadSession[];
}

export interface ReadSession {
  /** `prior_interactions[2]` */
  readonly field: string;
  readonly factor: string;
  readonly preference: string;
  /** A hash that identifies the session. */
  readonly dialogue: number;
}

/** @param texts each text of the persona once, since factors and preferences repeat from session to session */
export function readInstance(instance: Instance, row: number, texts: Map<string, string>): ReadInstance {
  const intern = (text: string): string => {
    const spelled = stripFinalStop(text);
    const knownText = texts.get(spelled);
    if (knownText === undefined) texts.set(spelled, spelled);
    return knownText ?? spelled;
  };
  return {
    place: { row, persona_id: instance.persona_id, instance_type: instance.instance_type },
    request: hashText(instance.current_request),
    factor: intern(instance.current_context_factor),
    preference: intern(instance.current_contextual_preference),
    checklist: intern(JSON.stringify(instance.current_checklist.map(stripFinalStop))),
    sessions: instance.prior_interactions.map((prior, at) => ({
      field: `prior_interactions[${at}]`,
      factor: intern(prior.context_factor),
      preference: intern(prior.contextual_preference),
      dialogue: prior.dialogue.reduce(
        (hash, { role, content }) => hashText(content, hashText(role, hash)),
        0,
      ),
    })),
  };
}
