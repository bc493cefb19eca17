import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { driveEvaluation, type EvaluationProgress, type EvaluationResult } from '../client/drive-evaluation';
import {
  evaluationDifferences,
  evaluatorsOf,
  growEvaluation,
  keepGrown,
  keepNew,
  planEvaluation,
  type WantedEvaluation,
} from '../client/evaluation-inputs';
import {
  holdsEvaluation,
  isSimulated,
  RESULTS,
  writeResults,
  type EvaluationResults,
} from '../client/evaluation-results';
import { idleCells, keptEvaluation } from '../client/evaluation-rows';
import {
  assertUnchanged,
  EVALUATION,
  lockRunFolder,
  openRunFolder,
  planOf,
  writeRunFile,
  type RunFolder,
} from '../client/run-folder';
import { planStudies } from '../client/studies';
import type { EvaluationPlan } from '../data/evaluation-plan';
import type { DataSet } from '../data/instances/data-set';
import { DataError } from '../data/instances/error';
import { openData } from '../data/instances/open';
import { writeAtomically } from '../data/store';
import {
  evaluationInputsSchema,
  type EvaluationFile,
  type EvaluationInputs,
} from '../schemas/evaluation-run';
import { parseModelSpec } from '../schemas/model-spec';
import { clusterChosen } from '../workers/engine';
import { checkModels } from '../workers/models';
import { evaluationActivities, evaluationFiles } from '../workers/world';
import { carryOut, type Host } from './carry-out';
import { resultLines, resultText } from './eval-result';
import { PUBLISHED_DATA, wantedOf, type EvalOptions } from './eval-options';
import { EXIT, UsageError } from './exit';
import { progressView, type ProgressView, type Status } from './progress';

type Folder = RunFolder<EvaluationFile, EvaluationPlan>;

/** `cupid eval`: begins, continues or extends the evaluation of a folder, or scores it again. Returns the exit code. */
export async function evaluate(options: EvalOptions): Promise<number> {
  const folder = await openRunFolder(EVALUATION, options.resultsDir);
  const before = await planOf(folder);
  const wanted = await wantedOf(options, before);
  await using view = progressView(process.stderr, options.json === true);
  const dataSet = await dataOf(options, before, view);
  refuseDifferences(options, before, wanted, dataSet);
  await refuseWithoutResults(options.compare ?? []);

  if (options.rescore === true && asksNothing(wanted)) return scoreAgain(options, folder, before, view);
  const grown = before === undefined ? undefined : await grownOf(folder, before, wanted, view);
  if (folder.run?.state === 'finished' && isKnown(grown?.inputs, folder.run)) {
    view.say(`${options.resultsDir} is finished already; its results are written again from what is kept.`);
    return scoreAgain(options, folder, before, view);
  }
  await checkAskable(options, wanted, grown);
  return carryOn(options, folder, { before, grown, wanted, dataSet }, view);
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
    if (!(error instanceof DataError)) throw error;
    view.say(`${data.given} is not to be read any more; the evaluation goes on with the instances it kept.`);
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
      `${options.resultsDir} holds an evaluation with other settings:`,
      ...different.map((line) => `- ${line}`),
      'Give those it was begun with to continue it, or name another --results-dir. Models, evaluators, contexts and tasks may be added.',
    ].join('\n'),
  );
}

/** Looked at before anything is asked: results that are compared with are read when all else is done. */
async function refuseWithoutResults(compared: readonly string[]): Promise<void> {
  for (const name of compared) {
    if (!(await holdsEvaluation(name))) {
      throw new UsageError(
        `--compare ${name}: no results of cupid eval are there. Name the --results-dir of another evaluation.`,
      );
    }
  }
}

/** True when nobody is to be asked for cells or for studies: those there are, are kept. */
function asksNothing({ cells, studies, labels }: WantedEvaluation): boolean {
  return cells.length === 0 && Object.keys(studies).length === 0 && labels === undefined;
}

/** The evaluation with what is wanted besides. What came to nothing, a model that cannot be asked say, is in nobody's way. */
async function grownOf(
  { store }: Folder,
  before: EvaluationPlan,
  wanted: WantedEvaluation,
  view: ProgressView,
): Promise<EvaluationPlan> {
  const idle = wanted.cells.length === 0 ? [] : await idleCells(await keptEvaluation(store), wanted.cells);
  for (const { task, model, context } of idle) {
    view.say(
      `Left out: ${task} by ${model} (${context}), of which nothing has come and which is not asked for now. Answers to it are kept.`,
    );
  }
  return growEvaluation(before, wanted, idle);
}

async function checkAskable(
  options: EvalOptions,
  { cells, studies, labels }: WantedEvaluation,
  grown: EvaluationPlan | undefined,
): Promise<void> {
  const specs = new Set(
    cells.flatMap((cell) => [...(options.rescore === true ? [] : [cell.model]), ...evaluatorsOf(cell)]),
  );
  if (studies.errors !== undefined) specs.add(studies.errors.labeller);
  // These are asked of everyone who evaluates, in cells of earlier commands too.
  for (const cell of grown?.inputs.cells ?? []) {
    if (cell.task === 'inference' && labels !== undefined) specs.add(cell.matcher.spec);
    if (cell.task === 'generation' && studies.judgeRepeats !== undefined) specs.add(cell.judge);
  }
  const own = [...specs].filter((spec) => parseModelSpec(spec).provider === 'module');
  if (own.length > 0 && clusterChosen(options.profile)) {
    throw new UsageError(
      `${own.join(', ')}: a module is asked in this process only, so it needs the embedded engine. Unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE, and leave --profile out.`,
    );
  }
  await checkModels([...specs], process.env);
}

/** True when the engine was told of just these inputs: a plan that has grown since may be kept already, and not be known. */
function isKnown(inputs: EvaluationInputs | undefined, known: EvaluationFile): boolean {
  return isDeepStrictEqual(inputs, evaluationInputsSchema.parse(known));
}

/** What is to be evaluated: what the folder held, and what it is to hold. */
interface Plans {
  readonly before: EvaluationPlan | undefined;
  readonly grown: EvaluationPlan | undefined;
  readonly wanted: WantedEvaluation;
  readonly dataSet: DataSet | undefined;
}

async function carryOn(
  options: EvalOptions,
  folder: Folder,
  { before, grown, wanted, dataSet }: Plans,
  view: ProgressView,
): Promise<number> {
  const { store, run: known } = folder;
  let plan = grown ?? newPlan(wanted, dataSet);
  const onlyStored = options.rescore === true;
  const how = { concurrency: options.concurrency, onlyStored };
  const fileAt = (host: Host): EvaluationFile => ({
    format: 1,
    ...plan.inputs,
    ...host,
    state: 'running',
    ...(onlyStored ? { onlyStored } : {}),
    simulated: isSimulated(plan.inputs),
  });
  let file: EvaluationFile | undefined;
  const ended = await carryOut(
    {
      folder,
      before,
      id: plan.inputs.id,
      models: [...plan.inputs.models, ...plan.inputs.evaluators],
      concurrency: options.concurrency,
      profile: options.profile,
      view,
      observe: view.observe,
      async keep(host) {
        if (dataSet !== undefined && before === undefined) {
          view.say(`Reading ${dataSet.source}.`);
          plan = await keepNew(store, plan, wanted, dataSet);
        } else {
          await keepGrown(store, plan, wanted);
        }
        file = fileAt(host);
        if (before === undefined) await writeRunFile(folder, file);
        // Other code, other cells, or another engine than was told of the evaluation last: it starts again, from the journal.
        const current =
          !onlyStored &&
          known !== undefined &&
          known.onlyStored !== true &&
          isKnown(plan.inputs, known) &&
          known.codeVersion === host.codeVersion &&
          known.engine === host.engine;
        return { afresh: before !== undefined && !current };
      },
      told: (host) => writeRunFile(folder, fileAt(host)),
      read: () => evaluationFiles(store),
      activities: evaluationActivities,
    },
    async ({ engine, follow }) => {
      {
        await using trials = await driveEvaluation(engine, plan.inputs, 'trials', how);
        refuseBroken(await follow(trials, statusOf));
      }
      if ((await planStudies(await keptEvaluation(store))) === 0) return 'done';
      await using studies = await driveEvaluation(engine, plan.inputs, 'studies', how);
      refuseBroken(await follow(studies, statusOf));
      return 'done';
    },
  );
  if (ended === 'interrupted') return EXIT.interrupted;
  return writeAndTell(options, folder, view, file);
}

function newPlan(wanted: WantedEvaluation, dataSet: DataSet | undefined): EvaluationPlan {
  if (dataSet === undefined) throw new Error('A new evaluation needs a data set.');
  return planEvaluation(wanted, dataSet);
}

function refuseBroken({ broken, causes }: EvaluationResult): void {
  if (broken === 0) return;
  throw new Error(
    [
      `${broken} ${broken === 1 ? 'trial' : 'trials'} ended before their time:`,
      ...causes.map((cause) => `- ${cause}`),
      'Nothing is lost: give the same command again, and they are done.',
    ].join('\n'),
  );
}

function statusOf({ phase, total, done, missing, open, misconfigured }: EvaluationProgress): Status {
  const gone = missing === 0 ? '' : `, ${missing} calls without a usable answer`;
  return {
    summary: `${phase} ${done}${total === undefined ? '' : ` of ${total}`} done, ${open} at work${gone}`,
    atWork: [],
    closed: done,
    open,
    ...(total === undefined ? {} : { total }),
    ...(misconfigured === undefined ? {} : { misconfigured }),
  };
}

/** Writes the results again from what is kept, asking nobody. */
async function scoreAgain(
  options: EvalOptions,
  folder: Folder,
  before: EvaluationPlan | undefined,
  view: ProgressView,
): Promise<number> {
  await using _lock = await lockRunFolder(folder);
  await assertUnchanged(folder, before);
  return writeAndTell(options, folder, view, folder.run);
}

async function writeAndTell(
  options: EvalOptions,
  folder: Folder,
  view: ProgressView,
  file: EvaluationFile | undefined,
): Promise<number> {
  view.say('Writing the results.');
  const kept = await keptEvaluation(folder.store);
  const results = await writeResults(folder.path, kept, options.compare ?? []);
  await writeAtomically(join(folder.path, RESULTS.text), `${resultText(results).join('\n')}\n`);
  const open = results.cells.reduce((sum, { all }) => sum + all.counts.open, 0);
  if (file !== undefined && open === 0) await writeRunFile(folder, { ...file, state: 'finished' });
  view.hide();
  return tell(options, folder, results, view);
}

function tell(options: EvalOptions, folder: Folder, results: EvaluationResults, view: ProgressView): number {
  const missing = results.cells.some(({ all }) => all.counts.missing + all.counts.open > 0);
  const code = missing ? EXIT.withFailures : EXIT.done;
  if (options.json === true) {
    const told = { folder: folder.path, ...results, analyses: undefined, calls: view.totals() };
    process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
    return code;
  }
  const shown = (file: string) => relative(process.cwd(), join(folder.path, file));
  process.stdout.write(
    `${[...resultLines(results), ...Object.values(RESULTS).map((name) => `  ${shown(name)}  ${WHAT[name]}`)].join('\n')}\n`,
  );
  return code;
}

const WHAT: Readonly<Record<(typeof RESULTS)[keyof typeof RESULTS], string>> = {
  'results.json': 'every number, with its interval, and the analyses',
  'results.parquet': 'a row for each instance, model, evaluator and task: what the numbers follow from',
  'results.txt': 'everything as tables',
  instances: "a file for each instance, in the reference program's form",
};
