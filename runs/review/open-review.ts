import type { DataSet } from '../../data/sets/data-set';
import type { OpenOptions } from '../../data/sets/open';
import { findRunFolderAbove } from '../../data/folders/run-folders';
import { formatCount } from '../../schemas/text/count-text';
import { hasQuotations, readReview, writeReviewPlan, type ReviewFolder } from './folder';
import { growReview, includeAddedTasks } from './grow';
import { startReview, type ReviewSettings } from './prepare';
import type { AcceptanceRule } from '../../schemas/review/acceptance-rule';
import type { ReviewPlan } from '../../schemas/review/review';
import { omitUndefined } from '../../schemas/omit-undefined';
import { InputError } from '../../schemas/input-error';
import { quotePath } from '../../schemas/text/shell-text';

/** Settings of a review from the command line. */
export interface ReviewChoices {
  readonly rater?: readonly string[];
  readonly third?: string;
  readonly accept?: AcceptanceRule;
  readonly seed?: number;
  /** Number of personas to draw. */
  readonly sample?: number;
  /** Results folder of `cupid verify`, if it is not in the run folder. */
  readonly verified?: string;
  /** True to end the review as far as it is decided: rows that were added to its data get no tasks. */
  readonly finish?: true;
}

/**
 * Chooses the settings of a review.
 * @param plan of the review that the folder contains
 * @throws InputError when the command line names no valid ones, or other ones than the plan
 */
export function chooseSettings(
  path: string,
  plan: ReviewPlan | undefined,
  choices: ReviewChoices,
): ReviewSettings {
  const settings = plan === undefined ? chooseNewSettings(choices) : changeSettings(path, plan, choices);
  requireThird(settings);
  return settings;
}

function chooseNewSettings({ rater, third, accept, seed }: ReviewChoices): ReviewSettings {
  const [first, second, ...surplus] = rater ?? [];
  if (first === undefined || second === undefined) {
    throw new InputError('A review needs two raters. Name them: --rater NAME --rater NAME');
  }
  if (surplus.length > 0) {
    throw new InputError(
      `A review has two raters, but --rater names ${surplus.length + 2}. Name the person who decides where the two differ with --third NAME.`,
    );
  }
  if (isSameName(first, second)) {
    throw new InputError(
      `A review needs two raters, but both are named ${first}. Name two people: --rater NAME --rater NAME`,
    );
  }
  return {
    seed: seed ?? 42,
    raters: [first, second],
    third: third ?? null,
    accept: accept ?? (third === undefined ? 'all' : 'third'),
  };
}

function changeSettings(
  path: string,
  plan: ReviewPlan,
  { rater, third, accept, seed, sample }: ReviewChoices,
): ReviewSettings {
  const different = [
    ...(rater !== undefined && rater.join(', ') !== plan.raters.join(', ')
      ? [`--rater: ${plan.raters.join(', ')} before, ${rater.join(', ')} now`]
      : []),
    ...(seed !== undefined && seed !== plan.seed ? [`--seed: ${plan.seed} before, ${seed} now`] : []),
    ...(sample !== undefined && sample !== plan.sample?.size
      ? [`--sample: ${plan.sample?.size ?? 'all personas'} before, ${sample} now`]
      : []),
    ...(third !== undefined && plan.third !== null && third !== plan.third
      ? [`--third: ${plan.third} before, ${third} now`]
      : []),
  ];
  if (different.length > 0) {
    throw new InputError(
      [
        `${path} contains a review with other settings:`,
        ...different.map((line) => `- ${line}`),
        'Leave them out to continue it, or name another --results-dir. --accept may change, and --third may be added.',
      ].join('\n'),
    );
  }
  const isThirdNew = third !== undefined && plan.third === null;
  return {
    seed: plan.seed,
    raters: plan.raters,
    third: third ?? plan.third,
    accept: accept ?? (isThirdNew ? 'third' : plan.accept),
  };
}

/** Compares names of raters ignoring case: they name files, and some file systems ignore case. */
function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function requireThird({ accept, third, raters }: ReviewSettings): void {
  if (accept === 'third' && third === null) {
    throw new InputError(
      '--accept third needs a third rater, who decides where the two differ. Add --third NAME.',
    );
  }
  if (third !== null && raters.some((rater) => isSameName(rater, third))) {
    throw new InputError(`${third} is one of the two raters. Name somebody else: --third NAME`);
  }
}

/** Opens the review in a folder, or starts a new one. @throws InputError when its settings differ, DataError when a task of its data does */
export async function openReview(
  path: string,
  dataSet: DataSet,
  choices: ReviewChoices,
  options: OpenOptions,
): Promise<ReviewFolder> {
  const before = await readReview(path);
  const settings = chooseSettings(path, before?.plan, choices);
  if (before === undefined) {
    options.report(`Preparing the tasks of ${dataSet.argument}.`);
    const { verified, sample } = choices;
    const { isVerified, problems } = await startReview(path, dataSet, settings, {
      ...options,
      ...omitUndefined({ verified, sample }),
    });
    for (const [problem, count] of problems) {
      options.report(`${formatCount(count, 'instance')} cannot be reviewed and will be left out. ${problem}`);
    }
    if (!isVerified && choices.finish !== true) {
      options.report(explainMissingQuotations(path, dataSet));
    }
    return openReview(path, dataSet, {}, options);
  }
  const { plan } = before;
  if (choices.verified !== undefined && !hasQuotations(before)) {
    throw new InputError(
      `The review in ${path} was started without quoted messages, and --verified does not add them. Leave it out to continue, or start another review: --results-dir DIR`,
    );
  }
  const isChanged = dataSet.sha256 !== plan.data.sha256;
  if (isChanged) options.report(`Comparing ${dataSet.argument} with the tasks of the review.`);
  if (isChanged && choices.finish !== true) {
    await growReview(before, dataSet, { ...options, verified: choices.verified });
    return openReview(path, dataSet, choices, options);
  }
  const review = isChanged ? await includeAddedTasks(before, dataSet, options) : before;
  const withSettings = (stored: ReviewPlan): ReviewPlan => ({
    ...stored,
    ...settings,
    data: { ...stored.data, argument: nameAgain(dataSet) },
  });
  await writeReviewPlan(before.store, withSettings(plan));
  if (plan.third === null && settings.third !== null && choices.accept === undefined) {
    options.report(
      `${settings.third} now decides the tasks in which ${plan.raters.join(' and ')} differ (--accept third). To keep the rule so far, repeat the command with --accept ${plan.accept}.`,
    );
  }
  return { ...review, plan: withSettings(review.plan) };
}

/** Explains why the page shows no quotations, which a review gets only when it is started. */
function explainMissingQuotations(path: string, { argument }: DataSet): string {
  const isInRun = findRunFolderAbove(argument) !== undefined;
  const [folder, option] = isInRun ? ['', ''] : [' --results-dir DIR', ' with --verified DIR'];
  return `This data was not verified, so the page shows no quoted messages. To have a model quote them first, delete ${path}, run cupid verify ${quotePath(argument)} --model SPEC${folder}, and repeat this command${option}.`;
}

/** Names the data so that the end of the review opens the same: on the Hub, their revision may no longer be the newest. */
function nameAgain({ argument, source, commit }: DataSet): string {
  return commit === undefined ? argument : source.replace(/^hub:/, '');
}
