import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import type { PreferenceRole } from '../../schemas/verification/verification';
import { isSameInReference } from '../texts/spelling';

/** An instance, and the known checklists of its prior sessions' preferences. */
export interface VerifiedInstance {
  readonly instance: Instance;
  readonly checklists?: Readonly<Record<string, readonly string[]>> | undefined;
}

interface StatedPreference {
  readonly preference: string;
  readonly checklist: readonly string[];
}

/** Whether the user's messages in these sessions express a preference. */
interface ExpressionQuestion extends StatedPreference {
  readonly sessions: readonly PriorInteraction[];
}

/** Whether a request reveals these items. */
export interface GuessQuestion {
  readonly request: string;
  readonly checklist: readonly string[];
}

interface ContradictionQuestion {
  readonly first: StatedPreference;
  readonly second: StatedPreference;
}

/**
 * Questions about one persona. Its instances share most sessions and the request, so each question is asked once for all of them. One call asks
 * for all expressions, and one for all contradictions.
 */
export interface PersonaQuestions {
  readonly expressions: readonly ExpressionQuestion[];
  readonly guesses: readonly GuessQuestion[];
  readonly contradictions: readonly ContradictionQuestion[];
  /** In the order of the instances. */
  readonly uses: readonly InstanceQuestions[];
}

/** Indexes of the persona's questions that decide on one of its instances. */
export interface InstanceQuestions {
  readonly preferences: readonly RelevantPreference[];
  readonly guess: number;
  /** Absent if there is no other preference, or if it is not known. */
  readonly contradiction?: number;
  /** Why the other preference is not known. */
  readonly problem?: string;
}

interface RelevantPreference extends StatedPreference {
  readonly role: PreferenceRole;
  /** Absent if no prior session has the preference, so that nothing can express it. */
  readonly question?: number;
}

/**
 * Returns the questions about a persona's instances (paper, 3.2 and E). Is each relevant preference (the current one, the one before the change,
 * that of the contrastive factor) expressed in its prior sessions? Does the current request reveal the current one? Do the two preferences of an
 * instance contradict each other?
 * @param persona its instances, at most one of each type
 */
export function listPersonaQuestions(persona: readonly VerifiedInstance[]): PersonaQuestions {
  const expressions = new Numbered<ExpressionQuestion>();
  const contradictions = new Numbered<ContradictionQuestion>();
  const requests = [...new Set(persona.map(({ instance }) => instance.current_request))];
  const uses = persona.map((verified): InstanceQuestions => {
    const { instance } = verified;
    const { current_context_factor: factor, current_contextual_preference: preference } = instance;
    const current = { preference, checklist: instance.current_checklist };
    const relate = (
      role: PreferenceRole,
      factorName: string,
      statedPreference: StatedPreference,
    ): RelevantPreference => {
      const sessions = listSessionsWith(instance, factorName, statedPreference.preference);
      const question =
        sessions.length === 0 ? {} : { question: expressions.add({ ...statedPreference, sessions }) };
      return { role, ...statedPreference, ...question };
    };
    const otherPreference = findOtherPreference(instance, persona);
    const use = {
      preferences: [relate('current', factor, current)],
      guess: requests.indexOf(instance.current_request),
    };
    if (otherPreference === undefined) return use;
    if ('problem' in otherPreference) return { ...use, ...otherPreference };
    const second = {
      preference: otherPreference.preference,
      checklist: findChecklist(otherPreference.preference, verified, persona),
    };
    return {
      ...use,
      preferences: [...use.preferences, relate(otherPreference.role, otherPreference.factor, second)],
      contradiction: contradictions.add({ first: current, second }),
    };
  });
  const guesses = requests.map((request): GuessQuestion => {
    const requestInstances = persona.filter(({ instance }) => instance.current_request === request);
    return {
      request,
      checklist: [...new Set(requestInstances.flatMap(({ instance }) => instance.current_checklist))],
    };
  });
  return { expressions: expressions.all, guesses, contradictions: contradictions.all, uses };
}

/** Returns the request that a guess is about, by its number from 1. @throws if there is none */
export function getGuessQuestion({ guesses }: PersonaQuestions, number: number): GuessQuestion {
  const guess = guesses[number - 1];
  if (guess === undefined) throw new Error(`The instances of this persona have no request ${number}.`);
  return guess;
}

type OtherPreference =
  | { readonly role: PreferenceRole; readonly factor: string; readonly preference: string }
  | { readonly problem: string };

/** Returns the preference that the current one must contradict; undefined for a consistent instance, which has none. */
function findOtherPreference(
  instance: Instance,
  persona: readonly VerifiedInstance[],
): OtherPreference | undefined {
  const { current_context_factor: factor, instance_type: type } = instance;
  if (type === 'consistent') return undefined;
  if (type === 'changing') {
    const earlier = instance.prior_interactions.filter(
      (session) =>
        isSameInReference(session.context_factor, factor) &&
        !isSameInReference(session.contextual_preference, instance.current_contextual_preference),
    );
    return findOnly('original', earlier, 'another preference of the current context factor');
  }
  // The persona's other instances contain every factor but the contrastive one.
  const otherSessions = persona.flatMap(({ instance: otherInstance }) =>
    otherInstance.instance_type === 'contrastive' ? [] : otherInstance.prior_interactions,
  );
  const contrastive = instance.prior_interactions.filter(
    ({ context_factor: name }) =>
      !isSameInReference(name, factor) &&
      !otherSessions.some((session) => isSameInReference(session.context_factor, name)),
  );
  return findOnly(
    'contrastive',
    contrastive,
    'one context factor that only this instance of the persona has',
  );
}

function findOnly(
  role: PreferenceRole,
  sessions: readonly PriorInteraction[],
  expectation: string,
): OtherPreference {
  const [first] = sessions;
  const isAlike = sessions.every(
    (session) =>
      first !== undefined &&
      isSameInReference(session.context_factor, first.context_factor) &&
      isSameInReference(session.contextual_preference, first.contextual_preference),
  );
  if (first === undefined || !isAlike) {
    const amount = first === undefined ? 'none' : 'several';
    return {
      problem: `Its prior sessions must have ${expectation}, with one preference; they have ${amount}.`,
    };
  }
  return { role, factor: first.context_factor, preference: first.contextual_preference };
}

function listSessionsWith(instance: Instance, factor: string, preference: string): PriorInteraction[] {
  return instance.prior_interactions.filter(
    (session) =>
      isSameInReference(session.context_factor, factor) &&
      isSameInReference(session.contextual_preference, preference),
  );
}

/**
 * Finds the checklist of a preference. If the data have none, the preference itself is the only item, because instances do not have those of prior
 * sessions.
 */
function findChecklist(
  preference: string,
  { checklists }: VerifiedInstance,
  persona: readonly VerifiedInstance[],
): readonly string[] {
  const current = persona.find(({ instance }) =>
    isSameInReference(instance.current_contextual_preference, preference),
  );
  return checklists?.[preference] ?? current?.instance.current_checklist ?? [preference];
}

class Numbered<T> {
  readonly all: T[] = [];
  readonly #indexes = new Map<string, number>();

  add(question: T): number {
    const key = JSON.stringify(question);
    const knownIndex = this.#indexes.get(key);
    if (knownIndex !== undefined) return knownIndex;
    this.#indexes.set(key, this.all.length);
    return this.all.push(question) - 1;
  }
}
