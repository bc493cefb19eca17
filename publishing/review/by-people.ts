import { withReview } from '../../data/card/review';
import { readInstances } from '../../data/sets/read';
import { computeCompressionRatio } from '../../data/sets/compression';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/store/data-error';
import { openData, type OpenOptions } from '../../data/sets/open';
import { groupBy } from '../../rules/group-by';
import {
  applyRevisions,
  decideInstance,
  listRaters,
  nameOutcome,
  type TaskOutcome,
} from '../../rules/review/outcome';
import { computeRatings } from '../../rules/review/ratings';
import { DataSetCounter } from '../../rules/statistics/run-statistics';
import type { Instance } from '../../schemas/dataset/instance';
import type { AuditRow, ReviewPlan, ReviewTask } from '../../schemas/review/review';
import { decideTasks, summarizeReview, type Review } from '../../rules/review/summary';
import { placeReviewFiles, type ReviewPlace, type ReviewResult } from './place-files';

/**
 * Writes the accepted instances with their revised messages, and the audit table.
 * @throws DataError when the data are missing, or are not those that were reviewed
 */
export async function writeReviewedData(
  { plan, ...folder }: ReviewPlace & { readonly plan: ReviewPlan },
  review: Review<ReviewTask>,
  options: OpenOptions,
): Promise<ReviewResult> {
  // The data may have changed while people reviewed them.
  const dataSet = await openData(plan.data.argument, options);
  if (dataSet.sha256 !== plan.data.sha256) {
    throw new DataError(
      `${dataSet.source} has changed since the review was opened. Repeat the command: it adds tasks for rows that were added, and keeps every annotation.`,
    );
  }
  const outcomes = decideTasks(review);
  const { raters, agreement, decidedTasks } = summarizeReview(review);
  const selection = new AcceptedInstances(dataSet, plan.sample, outcomes);
  await placeReviewFiles(folder, dataSet, {
    rows: selection.rows(),
    audit: listAuditRows(review, outcomes),
    finishCard: (card) =>
      withReview(card, {
        people: raters.filter(({ rater, tasks }) => rater !== plan.third || tasks > 0).length,
        tasks: decidedTasks,
        accept: plan.accept,
        sample: plan.sample,
        alpha: agreement.ordinal,
        isQuoted: review.isQuoted,
        ratings: computeRatings(listRatings(review)),
        sha256: plan.data.sha256,
        ...selection.counts,
        ...selection.counted.end(computeCompressionRatio),
      }),
  });
  return selection.counts;
}

class AcceptedInstances {
  readonly counts = { accepted: 0, rejected: 0, open: 0, unreviewable: 0, revised: 0 };
  readonly counted = new DataSetCounter({ withRecords: false });
  readonly #dataSet: DataSet;
  /** The personas that were drawn; undefined for all. */
  readonly #drawn: ReadonlySet<string> | undefined;
  /** By persona. */
  readonly #outcomes: ReadonlyMap<string, readonly (readonly [ReviewTask, TaskOutcome])[]>;

  constructor(
    dataSet: DataSet,
    sample: ReviewPlan['sample'],
    outcomes: ReadonlyMap<ReviewTask, TaskOutcome>,
  ) {
    this.#dataSet = dataSet;
    this.#drawn = sample === null ? undefined : new Set(sample.personas);
    this.#outcomes = groupBy(outcomes, ([{ persona_id: persona }]) => persona);
  }

  async *rows(): AsyncGenerator<Instance> {
    for await (const instance of readInstances(this.#dataSet)) {
      if (this.#drawn?.has(instance.persona_id) === false) continue;
      const outcomes = (this.#outcomes.get(instance.persona_id) ?? [])
        .filter(([task]) => task.instance_types.includes(instance.instance_type))
        .map(([{ kind }, outcome]) => ({ kind, outcome }));
      const preferences = outcomes.filter(({ kind }) => kind === 'preference').length;
      // An instance needs a task for each relevant preference: only then has a rater checked that it is expressed.
      const isWhole = preferences === (instance.instance_type === 'consistent' ? 1 : 2);
      if (!isWhole) {
        this.counts.unreviewable += 1;
        continue;
      }
      const isAccepted = decideInstance(instance, outcomes);
      if (isAccepted !== true) {
        this.counts[isAccepted === false ? 'rejected' : 'open'] += 1;
        continue;
      }
      const revisions = outcomes.flatMap(({ outcome }) =>
        outcome.state === 'decided' ? outcome.revisions : [],
      );
      const revised = applyRevisions(instance, revisions);
      this.counts.accepted += 1;
      if (JSON.stringify(revised) !== JSON.stringify(instance)) this.counts.revised += 1;
      this.counted.addInstance(revised);
      yield revised;
    }
  }
}

/** Lists the ratings of the first two raters. The third rater sees only disputed tasks, which would count twice. */
function listRatings({ rules, tasks, getLatest }: Review) {
  return tasks.flatMap(({ task, kind }) =>
    rules.raters.flatMap((rater) => {
      const annotation = getLatest(task).get(rater);
      return annotation === undefined ? [] : [{ ...annotation, kind }];
    }),
  );
}

function* listAuditRows(
  { rules, getLatest }: Review<ReviewTask>,
  outcomes: ReadonlyMap<ReviewTask, TaskOutcome>,
): Generator<AuditRow> {
  for (const [{ task, kind, persona_id, checklist }, outcome] of outcomes) {
    for (const rater of listRaters(rules)) {
      const annotation = getLatest(task).get(rater);
      if (annotation === undefined) continue;
      const { labels, realism, implicitness, rejection, revisions, annotated_at } = annotation;
      yield {
        task,
        kind,
        persona_id,
        rater,
        role: rater === rules.third ? 'third' : 'rater',
        items: checklist.flatMap((item, at) => (labels[at] ?? []).map((label) => ({ item, label }))),
        realism,
        implicitness,
        rejection,
        revisions,
        annotated_at,
        source: 'page',
        outcome: nameOutcome(outcome),
      };
    }
  }
}
