import { mkdir, writeFile } from 'node:fs/promises';
import { describeSourceChange } from '../../schemas/text/change-text';
import { pluralize } from '../../schemas/text/count-text';
import { join } from 'node:path';
import { withFiles } from '../../data/card/dataset-info';
import { withCanary } from '../../data/card/edit';
import { withReview } from '../../data/card/review';
import { placeOutputs, type Output } from '../../data/run/place-outputs';
import { readInstances } from '../../data/sets/read';
import { computeCompressionRatio } from '../../data/sets/compression';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/store/data-error';
import { openData, type OpenOptions } from '../../data/sets/open';
import { useTemporaryDirectory } from '../../data/store/directories';
import { AUDIT_COLUMNS, INSTANCE_COLUMNS } from '../../data/tables/columns';
import type { Rows } from '../../data/tables/batches';
import { writeParquet } from '../../data/tables/parquet';
import { readSourceCard } from '../../publishing/export/source';
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
import {
  ANNOTATIONS,
  getReview,
  SCRATCH,
  type Annotations,
  type ReviewFolder,
} from '../../runs/review/folder';

/** The number of instances by what the raters decided. */
export interface ReviewResult {
  readonly accepted: number;
  readonly rejected: number;
  /** Left out because a task that they depend on is open. */
  readonly open: number;
  /** Left out because no task decides whether each of their preferences is expressed. */
  readonly unreviewable: number;
  readonly revised: number;
}

/** The files of a finished review, in its folder. */
export const REVIEW_FILES = {
  rows: 'CUPID/test.parquet',
  card: 'CUPID/README.md',
  audit: 'audit.parquet',
} as const;

/**
 * Writes the accepted instances with their revised messages, and the audit table.
 * @throws DataError when the data are missing, or are not those that were reviewed
 */
export async function writeReviewedData(
  review: ReviewFolder,
  annotations: Annotations,
  options: OpenOptions,
): Promise<ReviewResult> {
  const { plan } = review;
  // The data may have changed while people reviewed them.
  const dataSet = await openData(plan.data.given, options);
  if (dataSet.sha256 !== plan.data.sha256) {
    throw new DataError(
      `${dataSet.source} has changed since the review was opened. Repeat the command: it adds tasks for rows that were added, and keeps every annotation.`,
    );
  }
  const state = getReview(review, annotations);
  const outcomes = decideTasks(state);
  const { raters, agreement } = summarizeReview(state);
  const selection = new AcceptedInstances(dataSet, plan.sample, outcomes);
  await placeReviewFiles(review, dataSet, {
    rows: selection.rows(),
    audit: listAuditRows(state, outcomes),
    finishCard: (card) =>
      withReview(card, {
        people: raters.filter(({ rater, tasks }) => rater !== plan.third || tasks > 0).length,
        tasks: plan.tasks,
        accept: plan.accept,
        sample: plan.sample,
        alpha: agreement.ordinal,
        ratings: computeRatings(listRatings(state)),
        sha256: plan.data.sha256,
        ...selection.counts,
        ...selection.counted.end(computeCompressionRatio),
      }),
  });
  return selection.counts;
}

/**
 * Writes accepted instances with their card, and the audit table, into a review's folder.
 * @throws DataError when the folder has a file of one of these names that the review did not write
 */
export async function placeReviewFiles(
  folder: Pick<ReviewFolder, 'path' | 'store'>,
  dataSet: DataSet,
  {
    rows,
    audit,
    finishCard,
  }: {
    readonly rows: Rows<Instance>;
    readonly audit: Rows<AuditRow>;
    /** Completes the card once all rows were read. */
    readonly finishCard: (card: string) => string;
  },
): Promise<void> {
  await useTemporaryDirectory(
    join(folder.path, SCRATCH),
    'review-',
    async (made) => {
      await mkdir(join(made, 'CUPID'));
      const outputs = Object.values(REVIEW_FILES).map((path): Output => ({ path, made: join(made, path) }));
      const written = await writeParquet(join(made, REVIEW_FILES.rows), INSTANCE_COLUMNS, rows, dataSet);
      await writeParquet(join(made, REVIEW_FILES.audit), AUDIT_COLUMNS, audit);
      const source = (await readSourceCard(dataSet)) ?? MINIMAL_CARD;
      const card = withCanary(finishCard(source), dataSet.canary);
      await writeFile(
        join(made, REVIEW_FILES.card),
        withFiles(card, INSTANCE_COLUMNS, { path: 'test.parquet', ...written }),
      );
      const sets = [outputs.filter(({ path }) => path.startsWith('CUPID/')), outputs.slice(-1)];
      const { foreign, withheld } = await placeOutputs(folder.path, sets);
      // An edited card belongs to the user, and is an error only if it blocks other files.
      const others = foreign.filter((path) => path !== REVIEW_FILES.card);
      const unplaced = [...new Set([...withheld, ...others])];
      if (unplaced.length > 0) {
        throw new DataError(
          `${unplaced.join(', ')} in ${folder.path} ${pluralize(unplaced.length, 'was', 'were')} not written by this review, or changed since, and not replaced. Move ${pluralize(unplaced.length, 'it', 'them')} away, then run the same command again.`,
        );
      }
    },
    folder.path,
  );
}

/** Creates the error that a data set is not the reviewed one. @param personas whose tasks have changed */
export function createOtherDataError(
  { path, plan: { data } }: Pick<ReviewFolder, 'path' | 'plan'>,
  dataSet: DataSet,
  personas: string,
): DataError {
  return new DataError(
    [
      `${path} contains a review of other data:`,
      `- ${describeSourceChange('data', data.source, dataSet.source, `tasks for ${personas}`)}`,
      `${data.commit === undefined ? 'Restore the data' : 'Name the revision that was reviewed'} to continue the review, or review the changed data in another folder: --results-dir DIR. The annotations so far stay in ${join(path, ANNOTATIONS)}; cupid eval can use them: --labels FILE`,
    ].join('\n'),
  );
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
      const own = (this.#outcomes.get(instance.persona_id) ?? [])
        .filter(([task]) => task.instance_types.includes(instance.instance_type))
        .map(([{ kind }, outcome]) => ({ kind, outcome }));
      const preferences = own.filter(({ kind }) => kind === 'preference').length;
      // An instance needs a task for each relevant preference: only then has a rater checked that it is expressed.
      const isWhole = preferences === (instance.instance_type === 'consistent' ? 1 : 2);
      if (!isWhole) {
        this.counts.unreviewable += 1;
        continue;
      }
      const isAccepted = decideInstance(instance, own);
      if (isAccepted !== true) {
        this.counts[isAccepted === false ? 'rejected' : 'open'] += 1;
        continue;
      }
      const revisions = own.flatMap(({ outcome }) => (outcome.state === 'decided' ? outcome.revisions : []));
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

const MINIMAL_CARD = '---\ntags: []\n---\n\n# CUPID\n';
