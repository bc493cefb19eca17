import type { PriorInteraction } from '../../schemas/dataset/instance';
import type { ReviewTask, ShownMessage } from '../../schemas/review/review';
import type { ItemEvidence } from '../../schemas/verification/verification';
import { createRandom } from '../sampling/random';
import {
  listPersonaQuestions,
  type InstanceQuestions,
  type VerifiedInstance,
} from '../method/verification-questions';

/** The passages that a model quoted for an item. */
export type QuotedItem = Pick<ItemEvidence, 'preference' | 'item' | 'quotations'>;

/**
 * Returns the tasks of a persona (paper, E: four for each series of sessions): one for each preference that an instance depends on, and one for
 * each current request. An instance that can never be accepted has none.
 * @param evidence a model's quotations for the items of the persona's preferences; undefined if the persona was not verified
 */
export function listReviewTasks(
  persona: readonly VerifiedInstance[],
  evidence: readonly QuotedItem[] | undefined,
): ReviewTask[] {
  const [first] = persona;
  if (first === undefined) return [];
  const { persona_id } = first.instance;
  const { expressions, guesses, uses } = listPersonaQuestions(persona);
  const typesOf = (depends: (use: InstanceQuestions) => boolean) =>
    persona.flatMap(({ instance }, at) => {
      const use = uses[at];
      return use !== undefined && findInstanceProblem(use) === undefined && depends(use)
        ? [instance.instance_type]
        : [];
    });
  const tasks = [
    ...expressions.map(({ preference, checklist, sessions }, at): ReviewTask => ({
      task: `${persona_id}/preference-${at + 1}`,
      kind: 'preference',
      persona_id,
      instance_types: typesOf(({ preferences }) => preferences.some(({ question }) => question === at)),
      preference,
      checklist: [...checklist],
      messages: sessions.flatMap(listUserMessages),
      evidence: quoteEvidence(evidence, preference, checklist),
    })),
    ...guesses.map(({ request, checklist }, at): ReviewTask => ({
      task: `${persona_id}/request-${at + 1}`,
      kind: 'request',
      persona_id,
      instance_types: typesOf(({ guess }) => guess === at),
      preference: [
        ...new Set(
          persona.flatMap(({ instance }) =>
            instance.current_request === request ? [instance.current_contextual_preference] : [],
          ),
        ),
      ].join('\n'),
      checklist: [...checklist],
      messages: [{ session: 0, opening: null, index: 0, text: request }],
      evidence: null,
    })),
  ];
  return tasks.filter(({ instance_types: types }) => types.length > 0);
}

/** Returns true for a task, named as in an annotation, about a preference of the data. Requests and qualification tasks are not. */
export function isPreferenceTask(task: string): boolean {
  return /\/preference-\d+$/.test(task);
}

/** Reports why instances of a persona can never be accepted, once for each instance. */
export function listReviewProblems(persona: readonly VerifiedInstance[]): string[] {
  return listPersonaQuestions(persona).uses.flatMap((use) => findInstanceProblem(use) ?? []);
}

/** Returns why an instance can never be accepted: each of its preferences must occur in a prior session. */
function findInstanceProblem({ problem, preferences }: InstanceQuestions): string | undefined {
  const isAsked = preferences.every(({ question }) => question !== undefined);
  return problem ?? (isAsked ? undefined : 'No prior session has one of its preferences.');
}

/** Returns the tasks in random order, a different one for each rater, so that the raters' fatigue falls on different tasks. */
export function orderTasks(tasks: readonly string[], seed: number, rater: string): string[] {
  return createRandom(seed, `review/${rater}`).shuffle(tasks);
}

function listUserMessages({ dialogue }: PriorInteraction, sessionIndex: number): ShownMessage[] {
  const opening = dialogue[0]?.content ?? '';
  return dialogue.flatMap(({ role, content }, index) =>
    role === 'user' ? [{ session: sessionIndex + 1, opening, index, text: content }] : [],
  );
}

function quoteEvidence(
  evidence: readonly QuotedItem[] | undefined,
  preference: string,
  checklist: readonly string[],
): string[][] | null {
  if (evidence === undefined) return null;
  return checklist.map(
    (item) =>
      evidence.find((entry) => entry.preference === preference && entry.item === item)?.quotations ?? [],
  );
}
