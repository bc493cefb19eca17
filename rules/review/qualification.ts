import type { MatchLabel } from '../../schemas/matching/match-label';
import type { Annotation, ReviewTask } from '../../schemas/review/review';

/** A task whose right labels are known. */
export interface QualificationTask extends ReviewTask {
  /** The right label of each item. */
  readonly answers: readonly MatchLabel[];
}

const PREFIX = 'qualification/';

/**
 * The tasks with which a rater begins (paper, E: annotators passed a qualification task). They are the same for all data, so that their answers are
 * certain: in real dialogues, a persona may also express an item of another one.
 */
export const QUALIFICATION: readonly QualificationTask[] = [
  buildTask('1', {
    kind: 'preference',
    preference: 'Announcements must have at most three sentences and begin with the date.',
    messages: [
      'Our new vacation rules have to reach the whole team on Monday. Can you draft the announcement?',
      'That is far too long. I send out three sentences, never more. And begin with the day from which the rules apply, because everyone asks for it first.',
      'Three sentences, and the date at the beginning. This is how I want all my announcements.',
    ],
    items: [
      ['Does the response compare the rules with those of other companies?', 'Not Covered'],
      ['Is the announcement at most three sentences long?', 'Fully Covered'],
      ['Does the announcement begin with the date from which the rules apply?', 'Fully Covered'],
    ],
  }),
  buildTask('2', {
    kind: 'preference',
    preference: 'Explanations for children must avoid technical terms and use an object from the kitchen.',
    messages: [
      'Why does the moon change its shape? I am going to explain it to a class of eight-year-olds.',
      'They have never heard of an orbit or of phases. Say it without any technical term. And choose something from the kitchen that they can picture.',
      'The plate that slides behind the pot is what I meant: no technical terms, and a thing from the kitchen.',
    ],
    items: [
      ['Does the response avoid technical terms?', 'Fully Covered'],
      ['Does the response name the sources of its facts?', 'Not Covered'],
      ['Does the response use an object from the kitchen to explain?', 'Fully Covered'],
      ['Does the response end with a quiz for the class?', 'Not Covered'],
    ],
  }),
  buildTask('3', {
    kind: 'request',
    preference: 'Travel plans must have at most two activities a day and state what each costs.',
    messages: [
      'I am planning a week in Lisbon with my sister. Suggest what we could do, with at most two activities a day.',
    ],
    items: [
      ['Does the plan have at most two activities a day?', 'Fully Covered'],
      ['Does the plan state what each activity costs?', 'Not Covered'],
    ],
  }),
];

function buildTask(
  number: string,
  {
    kind,
    preference,
    messages,
    items,
  }: Pick<ReviewTask, 'kind' | 'preference'> & {
    readonly messages: readonly string[];
    readonly items: readonly (readonly [item: string, answer: MatchLabel])[];
  },
): QualificationTask {
  const opening = kind === 'request' ? null : (messages[0] ?? '');
  return {
    task: `${PREFIX}${number}`,
    kind,
    persona_id: 'qualification',
    instance_types: [],
    preference,
    checklist: items.map(([item]) => item),
    messages: messages.map((text, position) => ({
      session: opening === null ? 0 : 1,
      opening,
      // The assistant's replies stand between them.
      index: 2 * position,
      text,
    })),
    evidence: null,
    answers: items.map(([, answer]) => answer),
  };
}

export function isQualification(task: string): boolean {
  return task.startsWith(PREFIX);
}

/**
 * Lists the tasks of the qualification in which a rater has not yet given the right label to every item; none once the rater is qualified.
 */
export function listUnqualified(find: (task: string) => Annotation | undefined): QualificationTask[] {
  return QUALIFICATION.filter(({ task, answers }) => {
    const annotation = find(task);
    return answers.some((answer, item) => annotation?.labels[item]?.[0] !== answer);
  });
}
