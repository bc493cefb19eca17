import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { evaluatorsOf } from '../../evaluations/cells';
import {
  evaluationDifferences,
  growEvaluation,
  keepDataSet,
  planEvaluation,
  type WantedEvaluation,
} from '../../evaluations/plan';
import { RESULTS } from '../../evaluations/results';
import {
  evaluationIn,
  idleCells,
  keptEvaluation,
  openCells,
  type KeptEvaluation,
} from '../../evaluations/outcomes';
import { EVALUATION, openRunFolder, planOf, requireStore } from '../../runs/folder/run-folder';
import { planStudies } from '../../evaluations/studies';
import type { EvaluationPlan } from '../../data/run/evaluation-plan';
import { PUBLISHED_DATA } from '../../data/published-data';
import type { DataSet } from '../../data/sets/data-set';
import { DataError, HubError } from '../../data/sets/error';
import { openData } from '../../data/sets/open';
import type { EvaluationFile, Todo } from '../../schemas/evaluation-run';
import { parseModelSpec } from '../../schemas/model-spec';
import { clusterChosen } from '../../workers/server/engine';
import { checkModels } from '../../workers/models';
import type { EvaluationWanted } from './carry-out-evaluation';
import type { EvalOptions } from './options';
import { UsageError } from '../exit';
import { checkNewRunFolder } from '../run/new-run';
import { progressView, type ProgressView } from '../run/progress';
import { evaluationInputsOf, scoreAgain, type EvaluationFolder } from './rescore';
import { namedSpecs, wantedOf } from './request';

/** `cupid eval`: starts, continues or extends the evaluation of a folder, or scores it again. Returns the exit code. */
export async function evaluate(options: EvalOptions): Promise<number> {
  const folder = await openRunFolder(EVALUATION, options.resultsDir);
  const before = await planOf(folder);
  const wanted = await wantedOf(options, before);
  await using view = progressView(process.stderr, options.json === true);
  const dataSet = await dataOf(options, before, view);
  refuseDifferences(options, before, wanted, dataSet);
  const compared = await comparedWith(options, dataSet?.sha256 ?? before?.inputs.data.sha256);
  if (before === undefined) await checkNewRunFolder(folder, Object.values(RESULTS), dataSet);

  if (options.rescore === true && asksNothing(wanted))
    return scoreAgain(options, folder, before, compared, view);
  const grown = before === undefined ? undefined : await grownOf(folder, before, wanted, view);
  if (isFinished(folder.run, grown, todoOf(options, wanted))) {
    view.say(
      `The evaluation in ${options.resultsDir} is already finished. Its results are computed again from the stored answers.`,
    );
    return scoreAgain(options, folder, before, compared, view);
  }
  const asked = specsAsked(options, wanted, grown);
  await checkSpecs(asked, options.profile);
  const cells = options.check ? await cellsLeft(folder, before, grown, wanted.cells) : [];
  const called = specsAsked(options, { ...wanted, cells }, grown);
  const started = grown === undefined ? newPlan(folder, wanted, dataSet, view) : { plan: grown };
  const told = todoOf(options, wanted);
  const models = { asked, called, named: namedSpecs(options) };
  // Loaded only now: the engine's modules take longer than everything before.
  const { carryOn } = await import('./carry-out-evaluation.js');
  return carryOn(
    options,
    folder,
    { before, ...started, told, compared, ...models, ...drawing(folder, wanted) },
    view,
  );
}

/** The studies are drawn once the trials are done. */
function drawing(
  { store }: EvaluationFolder,
  { studies }: WantedEvaluation,
): Pick<EvaluationWanted, 'studies'> {
  return { studies: async () => planStudies(await keptEvaluation(store), studies) };
}

/** True when all that this command asks for has been done. */
function isFinished(
  known: EvaluationFile | undefined,
  plan: EvaluationPlan | undefined,
  todo: Todo,
): boolean {
  if (known?.state !== 'finished' || !isDeepStrictEqual(plan?.inputs, evaluationInputsOf(known)))
    return false;
  return Object.keys(todo.studies).length === 0 || isDeepStrictEqual(todo.studies, known.told.studies);
}

/** The data set that the command names, where the folder does not have its instances already. */
async function dataOf(
  options: EvalOptions,
  before: EvaluationPlan | undefined,
  view: ProgressView,
): Promise<DataSet | undefined> {
  const open = (given: string) => openData(given, { report: view.say, environment: process.env });
  if (before === undefined) return open(options.data ?? PUBLISHED_DATA);
  const { data } = before.inputs;
  if (options.data === undefined) return undefined;
  if (options.data !== data.given) return open(options.data);
  // A revision of the Hub was pinned when the folder was begun.
  if (data.commit !== undefined) return undefined;
  try {
    return await open(options.data);
  } catch (error) {
    if (!(error instanceof DataError || error instanceof HubError)) throw error;
    view.say(`${data.given} cannot be read any more. The evaluation continues with its stored instances.`);
    return undefined;
  }
}

function refuseDifferences(
  options: EvalOptions,
  before: EvaluationPlan | undefined,
  wanted: WantedEvaluation,
  dataSet: DataSet | undefined,
): void {
  if (before === undefined) return;
  const different = evaluationDifferences(before, wanted, dataSet);
  if (different.length === 0) return;
  throw new UsageError(
    [
      `${options.resultsDir} contains an evaluation with other settings:`,
      ...different.map((line) => `- ${line}`),
      'Use the settings of that evaluation to continue it, or name another --results-dir. Models, evaluators, contexts and tasks may be added.',
    ].join('\n'),
  );
}

/**
 * The evaluations that the results are compared with: looked at before anything is asked, since they are read when all else is done.
 * @throws UsageError when there is none, or when it is of data that are there already: they would count twice
 */
async function comparedWith(options: EvalOptions, own: string | undefined): Promise<KeptEvaluation[]> {
  const known = new Map([[own, options.resultsDir]]);
  const compared: KeptEvaluation[] = [];
  for (const name of options.compare ?? []) {
    await requireStore(name);
    const other = await evaluationIn(name);
    if (other === undefined) {
      throw new UsageError(
        `--compare ${name}: this folder does not contain an evaluation. Name the --results-dir of another evaluation.`,
      );
    }
    const { sha256 } = other.inputs.data;
    if (known.has(sha256)) {
      throw new UsageError(
        `--compare ${name}: this evaluation has the same data as ${known.get(sha256)}, which would count twice. Name an evaluation of other data.`,
      );
    }
    known.set(sha256, name);
    compared.push(other);
  }
  return compared;
}

/** True when neither cells nor studies are asked for: only the stored answers are scored. */
function asksNothing({ cells, studies }: WantedEvaluation): boolean {
  return cells.length === 0 && Object.keys(studies).length === 0;
}

/** The evaluation extended by what is wanted. Cells without any result, of a model that cannot be called for example, are removed. */
async function grownOf(
  { store }: EvaluationFolder,
  before: EvaluationPlan,
  wanted: WantedEvaluation,
  view: ProgressView,
): Promise<EvaluationPlan> {
  const idle = wanted.cells.length === 0 ? [] : await idleCells(await keptEvaluation(store), wanted.cells);
  for (const { task, model, context } of idle) {
    view.say(
      `Removed from the results: ${task} by ${model} (${context}), which has no scored instance and is not part of this command. Its stored answers are kept.`,
    );
  }
  return growEvaluation(before, wanted, idle);
}

/** The wanted cells in which something is still to be asked. */
async function cellsLeft(
  { store }: EvaluationFolder,
  before: EvaluationPlan | undefined,
  grown: EvaluationPlan | undefined,
  wanted: WantedEvaluation['cells'],
): Promise<WantedEvaluation['cells']> {
  const isSame = before !== undefined && isDeepStrictEqual(before.inputs, grown?.inputs);
  return isSame ? openCells(await keptEvaluation(store), wanted) : wanted;
}

/** The SPECs of all models that are asked for some cells and studies. */
function specsAsked(
  options: EvalOptions,
  { cells, studies }: WantedEvaluation,
  grown: EvaluationPlan | undefined,
): string[] {
  const specs = new Set(
    cells.flatMap((cell) => [...(options.rescore === true ? [] : [cell.model]), ...evaluatorsOf(cell)]),
  );
  if (studies.errors !== undefined) specs.add(studies.errors.labeller);
  // These are asked of everyone who evaluates, in cells of earlier commands too.
  for (const cell of grown?.inputs.cells ?? []) {
    if (cell.task === 'inference' && studies.labels !== undefined) specs.add(cell.matcher.spec);
    if (cell.task === 'generation' && studies.repeats !== undefined) specs.add(cell.judge);
  }
  return [...specs];
}

/** @throws UsageError when one of these models cannot be asked from here */
export async function checkSpecs(specs: readonly string[], profile: string | undefined): Promise<void> {
  const own = specs.filter((spec) => parseModelSpec(spec).provider === 'module');
  if (own.length > 0 && clusterChosen(profile)) {
    throw new UsageError(
      `${own.join(', ')}: a module model runs in this process only, so it needs the embedded engine. Unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE, and remove --profile.`,
    );
  }
  await checkModels(specs, process.env);
}

/** Plans a new evaluation. Its data set is read once nothing else can refuse it, so that a refused one leaves nothing in the folder. */
function newPlan(
  { path, store }: EvaluationFolder,
  wanted: WantedEvaluation,
  dataSet: DataSet | undefined,
  view: ProgressView,
): Pick<EvaluationWanted, 'plan' | 'keepInstances'> {
  if (dataSet === undefined) throw new Error('A new evaluation needs a data set.');
  return {
    plan: planEvaluation(wanted, dataSet, 0),
    async keepInstances() {
      view.say(`Reading ${dataSet.source}.`);
      try {
        return await keepDataSet(store, dataSet);
      } catch (error) {
        // No plan is there, only some of the instances.
        await rm(join(path, '.cupid', 'inputs'), { recursive: true, force: true });
        throw error;
      }
    },
  };
}

/** What this command has the engine do. */
function todoOf(options: EvalOptions, { cells, studies }: WantedEvaluation): Todo {
  const { errors, repeats, labels } = studies;
  return {
    cells: [...cells],
    onlyStored: options.rescore === true,
    onlyRetried: false,
    studies: {
      ...(errors === undefined ? {} : { errors }),
      ...(repeats === undefined ? {} : { repeats }),
      ...(labels === undefined ? {} : { labels: labels.sha256 }),
    },
  };
}
