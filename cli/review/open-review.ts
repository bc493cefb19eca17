import type { DataSet } from '../../data/sets/data-set';
import type { OpenOptions } from '../../data/sets/open';
import { formatCount } from '../../formatting/count-text';
import { requireReviewedData } from '../../reviews/finish';
import { readReview, writeReviewPlan, type ReviewFolder } from '../../reviews/folder';
import { startReview, type ReviewSettings } from '../../reviews/prepare';
import type { AcceptanceRule } from '../../schemas/review/acceptance-rule';
import { COMMAND, UsageError } from '../exit';

/** The settings of a review that the command line names. */
export interface ReviewChoices {
  readonly rater?: readonly string[];
  readonly third?: string;
  readonly accept?: AcceptanceRule;
  readonly seed?: number;
}

/**
 * The review in a folder, or a new one.
 * @throws UsageError when its settings are other ones, DataError when its data are
 */
export async function openReview(
  path: string,
  dataSet: DataSet,
  { rater, third, accept, seed }: ReviewChoices,
  options: OpenOptions,
): Promise<ReviewFolder> {
  const before = await readReview(path);
  if (before === undefined) {
    const [first, second, ...more] = rater ?? [];
    if (first === undefined || second === undefined) {
      throw new UsageError('A review needs two raters. Name them: --rater NAME --rater NAME');
    }
    if (more.length > 0) {
      throw new UsageError(
        `A review has two raters, but --rater names ${more.length + 2}. Somebody who decides where the two differ is named with --third NAME.`,
      );
    }
    if (first === second) {
      throw new UsageError(
        `A review needs two raters, but both are named ${first}. Name two people: --rater NAME --rater NAME`,
      );
    }
    const settings: ReviewSettings = {
      seed: seed ?? 42,
      raters: [first, second],
      third: third ?? null,
      accept: accept ?? (third === undefined ? 'all' : 'third'),
    };
    requireThird(settings);
    options.report(`Preparing the tasks of ${dataSet.given}.`);
    const { isVerified, problems } = await startReview(path, dataSet, settings, options);
    for (const [problem, count] of problems) {
      options.report(`${formatCount(count, 'instance')} cannot be reviewed and will be left out. ${problem}`);
    }
    if (!isVerified) {
      options.report(
        `This data was not verified, so the page shows no quoted messages. To have a model quote them first, run: ${COMMAND} verify ${dataSet.given} --model SPEC`,
      );
    }
    return openReview(path, dataSet, {}, options);
  }
  const { plan } = before;
  const different = [
    ...(rater !== undefined && rater.join(', ') !== plan.raters.join(', ')
      ? [`--rater: ${plan.raters.join(', ')} before, ${rater.join(', ')} now`]
      : []),
    ...(seed !== undefined && seed !== plan.seed ? [`--seed: ${plan.seed} before, ${seed} now`] : []),
    ...(third !== undefined && plan.third !== null && third !== plan.third
      ? [`--third: ${plan.third} before, ${third} now`]
      : []),
  ];
  if (different.length > 0) {
    throw new UsageError(
      [
        `${path} contains a review with other settings:`,
        ...different.map((line) => `- ${line}`),
        'Leave them out to continue it, or name another --results-dir. --accept may change, and --third may be added.',
      ].join('\n'),
    );
  }
  requireReviewedData(before, dataSet);
  const isThirdNew = third !== undefined && plan.third === null;
  const changed = {
    ...plan,
    data: { ...plan.data, given: nameAgain(dataSet) },
    third: third ?? plan.third,
    accept: accept ?? (isThirdNew ? 'third' : plan.accept),
  };
  requireThird(changed);
  await writeReviewPlan(before.store, changed);
  if (isThirdNew && accept === undefined) {
    options.report(
      `${third} now decides the tasks in which ${plan.raters.join(' and ')} differ (--accept third). To keep the rule so far, repeat the command with --accept ${plan.accept}.`,
    );
  }
  return { ...before, plan: changed };
}

/** The name by which the end of the review opens the same data: on the Hub, their revision may not be the newest by then. */
function nameAgain({ given, source, commit }: DataSet): string {
  return commit === undefined ? given : source.replace(/^hub:/, '');
}

function requireThird({ accept, third, raters }: ReviewSettings | ReviewFolder['plan']): void {
  if (accept === 'third' && third === null) {
    throw new UsageError(
      '--accept third needs a third rater, who decides where the two differ. Add --third NAME.',
    );
  }
  if (third !== null && raters.includes(third)) {
    throw new UsageError(`${third} is one of the two raters. Name somebody else: --third NAME`);
  }
}
