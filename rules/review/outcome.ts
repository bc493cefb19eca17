import type { Instance } from '../../schemas/dataset/instance';
import type { AcceptanceRule } from '../../schemas/review/acceptance-rule';
import type { Annotation, Revision, ReviewTask } from '../../schemas/review/review';

export type TaskOutcome =
  /** Annotations of raters are missing. */
  | { readonly state: 'open'; readonly missing: readonly string[] }
  /** The raters differ, and the third rater has to decide. */
  | { readonly state: 'disputed' }
  | ({ readonly state: 'decided' } & TaskDecision);

interface TaskDecision {
  /** Items that a preference's messages do not express, or that the request reveals. */
  readonly unsound: readonly string[];
  /** Why raters want the instances left out. */
  readonly rejections: readonly string[];
  readonly revisions: readonly Revision[];
}

/** The raters, and how their annotations decide. */
export interface ReviewRules {
  readonly raters: readonly string[];
  readonly third: string | null;
  readonly accept: AcceptanceRule;
}

/** Lists all raters, the third one last. */
export function listRaters({ raters, third }: Pick<ReviewRules, 'raters' | 'third'>): readonly string[] {
  return third === null ? raters : [...raters, third];
}

/**
 * Decides a task from its annotations (paper, 3.2 and E). A preference is sound if its messages fully express every item; a request if it fully
 * expresses none. Revised messages are labeled in their revised form. If raters differ and the rule is `third`, the third rater's annotation
 * alone decides.
 * @param annotations the latest of each rater
 */
export function decideTask(
  { kind, checklist }: Pick<ReviewTask, 'kind' | 'checklist'>,
  annotations: ReadonlyMap<string, Annotation>,
  { raters, third, accept }: ReviewRules,
): TaskOutcome {
  const find = (rater: string) => {
    const annotation = annotations.get(rater);
    return annotation && { ...annotation, revisions: listChanges(annotation.revisions) };
  };
  const currentAnnotations = raters.flatMap((rater) => find(rater) ?? []);
  if (currentAnnotations.length < raters.length) {
    return { state: 'open', missing: raters.filter((rater) => !annotations.has(rater)) };
  }
  const decisive = third === null ? undefined : find(third);
  if (accept === 'third' && isDisputed(currentAnnotations)) {
    return decisive === undefined ? { state: 'disputed' } : conclude(kind, checklist, [decisive], 'all');
  }
  return conclude(kind, checklist, currentAnnotations, accept);
}

/** Names the outcome of a task, as `audit.parquet` does. */
export function nameOutcome(outcome: TaskOutcome): 'sound' | 'rejected' | 'open' {
  if (outcome.state !== 'decided') return 'open';
  return outcome.unsound.length + outcome.rejections.length === 0 ? 'sound' : 'rejected';
}

/** Returns the revisions that change their message. */
export function listChanges(revisions: readonly Revision[]): Revision[] {
  return revisions.filter(({ old_text, new_text }) => new_text !== old_text);
}

/** Returns true if raters differ on whether an item is fully expressed, on a rejection, or on a revision. */
function isDisputed(annotations: readonly Annotation[]): boolean {
  const views = annotations.map(({ labels, rejection, revisions }) =>
    JSON.stringify([
      labels.map(([label]) => label === 'Fully Covered'),
      rejection !== null,
      revisions.map(({ opening, index, new_text }) => JSON.stringify([opening, index, new_text])).toSorted(),
    ]),
  );
  return new Set(views).size > 1;
}

function conclude(
  kind: ReviewTask['kind'],
  checklist: readonly string[],
  annotations: readonly Annotation[],
  accept: AcceptanceRule,
): TaskOutcome {
  const isExpected = kind === 'preference';
  const unsound = checklist.filter((_, item) => {
    const expressed = annotations.map(({ labels }) => labels[item]?.[0] === 'Fully Covered');
    const isExpressed = isExpected && accept !== 'any' ? expressed.every(Boolean) : expressed.some(Boolean);
    return isExpressed !== isExpected;
  });
  return {
    state: 'decided',
    unsound,
    rejections: annotations.flatMap(({ rejection }) => rejection ?? []),
    revisions: mergeRevisions(annotations),
  };
}

/**
 * Returns whether an instance is accepted: all tasks that it depends on are decided, without a rejection and without an unsound item of one of its
 * preferences. Undefined while a task is not decided.
 */
export function decideInstance(
  { current_checklist: current }: Pick<Instance, 'current_checklist'>,
  tasks: readonly { readonly kind: ReviewTask['kind']; readonly outcome: TaskOutcome }[],
): boolean | undefined {
  if (tasks.some(({ outcome }) => outcome.state !== 'decided')) return undefined;
  return tasks.every(
    ({ kind, outcome }) =>
      outcome.state === 'decided' &&
      outcome.rejections.length === 0 &&
      // One task covers the request for the preferences of all of a persona's instances.
      outcome.unsound.every((item) => kind === 'request' && !current.includes(item)),
  );
}

export function applyRevisions(instance: Instance, revisions: readonly Revision[]): Instance {
  const request = revisions.find(({ opening }) => opening === null);
  return {
    ...instance,
    current_request: request?.new_text ?? instance.current_request,
    prior_interactions: instance.prior_interactions.map((session) => {
      const opening = session.dialogue[0]?.content;
      return {
        ...session,
        dialogue: session.dialogue.map(({ role, content }, index) => {
          const isRevised = (revision: Revision) =>
            revision.opening === opening && revision.index === index && revision.old_text === content;
          return { role, content: revisions.find(isRevised)?.new_text ?? content };
        }),
      };
    }),
  };
}

/** Returns one revision for each message; the first rater's takes precedence. */
function mergeRevisions(annotations: readonly Annotation[]): Revision[] {
  const revisionsByPlace = new Map<string, Revision>();
  for (const revision of annotations.flatMap(({ revisions }) => revisions)) {
    const place = JSON.stringify([revision.opening, revision.index]);
    if (!revisionsByPlace.has(place)) revisionsByPlace.set(place, revision);
  }
  return [...revisionsByPlace.values()];
}
