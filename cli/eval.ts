import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  driveEvaluation,
  type EvaluationProgress,
  type EvaluationResult,
  type EvaluationWork,
} from '../client/drive-evaluation';
import {
  evaluationDifferences,
  evaluationUses,
  growEvaluation,
  keepDataSet,
  planEvaluation,
  type WantedEvaluation,
} from '../client/evaluation-inputs';
import { evaluatorsOf } from '../client/cells';
import { isSimulated, RESULTS, writeResults, type EvaluationResults } from '../client/evaluation-results';
import {
  evaluationIn,
  idleCells,
  keptEvaluation,
  openCells,
  type KeptEvaluation,
} from '../client/evaluation-rows';
import { evaluationWarnings } from '../client/model-warnings';
import {
  assertUnchanged,
  EVALUATION,
  lockRunFolder,
  openRunFolder,
  planOf,
  requireStore,
  writeRunFile,
  type RunFolder,
} from '../client/run-folder';
import { planStudies } from '../client/studies';
import { keepEvaluationPlan, type EvaluationPlan } from '../data/evaluation-plan';
import { PUBLISHED_DATA } from '../data/published-data';
import type { DataSet } from '../data/sets/data-set';
import { DataError, HubError } from '../data/sets/error';
import { openData } from '../data/sets/open';
import type { PlacedOutputs } from '../data/place-outputs';
import { counted, number } from '../schemas/count-text';
import {
  evaluationInputsSchema,
  type EvaluationFile,
  type EvaluationInputs,
  type StudyKind,
  type Todo,
} from '../schemas/evaluation-run';
import { parseModelSpec } from '../schemas/model-spec';
import { clusterChosen } from '../workers/engine';
import { checkModels } from '../workers/models';
import { evaluationActivities, evaluationFiles, evaluationParameters } from '../workers/world';
import { carryOut, type Host } from './carry-out';
import { resultLines, resultText } from './eval-result';
import type { EvalOptions } from './eval-options';
import { namedSpecs, wantedOf } from './wanted-evaluation';
import { EXIT, UsageError } from './exit';
import { checkNewRunFolder } from './new-run';
import type { CarryOutOptions } from './options';
import { print } from './output';
import { placedLines } from './placed-text';
import { steeringOf } from './steering';
import { progressView, type ProgressView, type Status } from './progress';

type Folder = RunFolder<EvaluationFile, EvaluationPlan>;

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
  return carryOn(
    options,
    folder,
    { before, ...started, told, compared, ...models, ...drawing(folder, wanted) },
    view,
  );
}

/** The studies are drawn once the trials are done. */
function drawing({ store }: Folder, { studies }: WantedEvaluation): Pick<EvaluationWanted, 'studies'> {
  return { studies: async () => planStudies(await keptEvaluation(store), studies) };
}

/** True when all that this command asks for has been done. */
function isFinished(
  known: EvaluationFile | undefined,
  plan: EvaluationPlan | undefined,
  todo: Todo,
): boolean {
  if (known?.state !== 'finished' || !isDeepStrictEqual(plan?.inputs, inputsOf(known))) return false;
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
  { store }: Folder,
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
  { store }: Folder,
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

/** What `run.json` says of the inputs: a plan that has grown since may be kept already, and the engine not told of it. */
function inputsOf(known: EvaluationFile): EvaluationInputs {
  return evaluationInputsSchema.parse(known);
}

/** Plans a new evaluation. Its data set is read once nothing else can refuse it, so that a refused one leaves nothing in the folder. */
function newPlan(
  { path, store }: Folder,
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

/** What is to be evaluated: what the folder held, what it is to hold, and what this command asks of it. */
export interface EvaluationWanted {
  readonly before: EvaluationPlan | undefined;
  readonly plan: EvaluationPlan;
  /** Of a new evaluation: keeps the instances of its data set, under the folder's lock, and returns how many there are. */
  readonly keepInstances?: () => Promise<number>;
  readonly told: Todo;
  /** The SPECs that are asked, and those of them that the command line names. */
  readonly asked: readonly string[];
  readonly named: readonly string[];
  /** Those that still have something to be asked. */
  readonly called: readonly string[];
  /** Opens again what was done before, under the folder's lock; true when there is some, and the engine must be told anew. */
  readonly reopen?: () => Promise<boolean>;
  /** The studies to be done, looked for once the trials are. */
  readonly studies: () => Promise<readonly StudyKind[]>;
  /** Evaluations that the results are compared with. */
  readonly compared: readonly KeptEvaluation[];
}

/** Carries an evaluation out, and writes its results. Returns the exit code. */
export async function carryOn(
  options: CarryOutOptions,
  folder: Folder,
  { before, plan, keepInstances, told, asked, called, named, reopen, studies, compared }: EvaluationWanted,
  view: ProgressView,
): Promise<number> {
  const { store, run: known } = folder;
  let { inputs } = plan;
  const fileAt = (host: Host): EvaluationFile => ({
    format: 1,
    ...inputs,
    ...host,
    told,
    state: 'running',
    simulated: isSimulated(inputs),
  });
  let file: EvaluationFile | undefined;
  const done = await carryOut(
    {
      folder,
      before,
      id: inputs.id,
      models: [...inputs.models, ...inputs.evaluators],
      uses: options.check ? evaluationUses(inputs, called) : [],
      consent: { asked, named, trust: options.trust === true },
      concurrency: options.concurrency,
      steering: await steeringOf(options, [...inputs.models, ...inputs.evaluators]),
      profile: options.profile,
      view,
      observe: view.observe,
      async keep(host) {
        if (keepInstances !== undefined) {
          inputs = { ...inputs, data: { ...inputs.data, instances: await keepInstances() } };
        }
        await keepEvaluationPlan(store, { ...plan, inputs });
        file = fileAt(host);
        if (before === undefined) {
          await writeRunFile(folder, file);
          for (const line of await evaluationWarnings(store, inputs.evaluators)) view.say(line);
        }
        const reopened = (await reopen?.()) ?? false;
        // Other code, other work, or another engine than was told of the evaluation last: it starts again, from the journal.
        const current =
          known !== undefined &&
          !reopened &&
          isDeepStrictEqual(inputs, inputsOf(known)) &&
          isDeepStrictEqual(told, known.told) &&
          known.codeVersion === host.codeVersion &&
          known.engine === host.engine;
        return { afresh: before !== undefined && !current };
      },
      told: (host) => writeRunFile(folder, fileAt(host)),
      read: () => evaluationFiles(store),
      activities: evaluationActivities,
    },
    async ({ engine, follow }) => {
      const { cells, onlyStored, onlyRetried } = told;
      const run = async (todo: EvaluationWork): Promise<EvaluationResult> => {
        await using driven = await driveEvaluation(engine, inputs, todo, options.concurrency);
        return await follow(driven, statusOf);
      };
      const trials = await run({ phase: 'trials', cells, onlyStored, onlyRetried });
      const kinds = trials.broken > 0 ? [] : await studies();
      const ended = kinds.length === 0 ? trials : await run({ phase: 'studies', kinds, onlyRetried });
      const written = await write(folder, compared, view);
      const open = written.results.cells.some(({ all }) => all.counts.open > 0);
      if (file !== undefined && !open && ended.broken === 0) {
        const parameters = await evaluationParameters(store, inputs);
        await writeRunFile(folder, { ...file, state: 'finished', parameters });
      }
      return { ended, written };
    },
  );
  if (done === 'interrupted') return EXIT.interrupted;
  view.hide();
  const code = tell(options, folder, done.written, view);
  // Reported last: the other results are worth having.
  refuseBroken(done.ended);
  return code;
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

function refuseBroken({ broken, causes }: EvaluationResult): void {
  if (broken === 0) return;
  throw new Error(
    [
      `${counted(broken, 'instance')} failed for reasons unrelated to the models' answers:`,
      ...causes.map((cause) => `- ${cause}`),
      'Nothing is lost. Fix these causes, then repeat the same command.',
    ].join('\n'),
  );
}

function statusOf(progress: EvaluationProgress): Status {
  const { phase, total, done, passed, missing, open, misconfigured } = progress;
  const unusable = missing === 0 ? '' : `, ${counted(missing, 'call')} without a usable answer`;
  return {
    phase,
    summary: `${phase} ${number(done + passed)}${total === undefined ? '' : ` of ${number(total)}`} done, ${number(open)} in progress${unusable}`,
    inProgress: [],
    done,
    ...(total === undefined ? {} : { left: total - done - passed }),
    ...(misconfigured === undefined ? {} : { misconfigured }),
  };
}

/** Computes the results again from the stored answers. Returns the exit code. */
export async function scoreAgain(
  options: Pick<CarryOutOptions, 'json'>,
  folder: Folder,
  before: EvaluationPlan | undefined,
  compared: readonly KeptEvaluation[],
  view: ProgressView,
): Promise<number> {
  await using _lock = await lockRunFolder(folder);
  await assertUnchanged(folder, before);
  const written = await write(folder, compared, view);
  view.hide();
  return tell(options, folder, written, view);
}

type Written = { readonly results: EvaluationResults; readonly placed: PlacedOutputs };

async function write(
  folder: Folder,
  compared: readonly KeptEvaluation[],
  view: ProgressView,
): Promise<Written> {
  view.say('Writing the results.');
  return writeResults(folder, await keptEvaluation(folder.store), compared, renderText);
}

function renderText(results: EvaluationResults): string {
  return `${resultText(results).join('\n')}\n`;
}

function tell(
  options: Pick<CarryOutOptions, 'json'>,
  folder: Folder,
  { results, placed }: Written,
  view: ProgressView,
): number {
  const isMissing = results.cells.some(({ all }) => all.counts.missing + all.counts.open > 0);
  const code = isMissing || placed.withheld.length > 0 ? EXIT.withFailures : EXIT.done;
  if (options.json === true) {
    const { withheld, foreign } = placed;
    const told = { folder: folder.path, ...results, analyses: undefined, outputs: { foreign, withheld } };
    print(JSON.stringify({ ...told, calls: view.totals() }, null, 2));
    return code;
  }
  const shown = (file: string) => relative(process.cwd(), join(folder.path, file));
  const again = `run cupid eval --results-dir ${shown('.') || '.'} --rescore. It calls no model.`;
  const lines = [
    ...resultLines(results),
    ...Object.values(RESULTS).map((name) => `  ${shown(name)}  ${DESCRIPTIONS[name]}`),
    ...placedLines(placed, shown, again),
  ];
  print(lines.join('\n'));
  return code;
}

const DESCRIPTIONS: Readonly<Record<(typeof RESULTS)[keyof typeof RESULTS], string>> = {
  'results.json': 'every number with its interval, and the analyses',
  'results.parquet': 'a row for each instance, model, evaluator and task',
  'results.txt': 'all tables as text',
  instances: "a file for each instance, in the reference program's format",
};
