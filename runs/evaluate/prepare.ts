import { JournalError } from '../../data/run/journal';
import { isDeepStrictEqual } from 'node:util';
import { readStudies, type EvaluationPlan } from '../../data/run/evaluation-plan';
import { PUBLISHED_DATA } from '../../data/published-data';
import type { DataSet } from '../../data/sets/data-set';
import { getSplit } from '../../data/sets/persona-split';
import type { Store } from '../../data/store/store';
import { DataError, getReason } from '../../data/store/data-error';
import { HubError } from '../../data/hub/hub-error';
import { openData } from '../../data/sets/open';
import { requireChosen } from '../../data/sets/persona-filter';
import { listRunsBeside, requireStore } from '../folder/run-folder';
import { quotePath } from '../../schemas/text/shell-text';
import { checkNewRunFolder } from '../plan/new-folder';
import type {
  EvaluationFile,
  EvaluationInputs,
  SplitRow,
  Todo,
} from '../../schemas/evaluation/evaluation-run';
import { getContextForm, getHistoryTier } from '../../schemas/evaluation/context';
import { InputError } from '../../schemas/input-error';
import { parseModelSpec } from '../../schemas/model/model-spec';
import { getPurpose } from '../../schemas/evaluation/purpose';
import { checkModels } from '../../workers/models';
import { isClusterChosen } from '../../workers/server/engine';
import type { EvaluationRequest } from './evaluation-request';
import type { EvaluationFolder } from './write';
import type { DrawingObserver } from '../../rules/trials/histories';
import { selectRows } from '../../rules/method/evaluation-work';
import { buildCellIdentity, describeCell, listEvaluators } from '../../rules/trials/cells';
import { formatCount } from '../../schemas/text/count-text';
import {
  findEvaluation,
  listIdleCells,
  readStoredEvaluation,
  listOpenCells,
  type StoredEvaluation,
} from './outcomes';
import {
  listEvaluationDifferences,
  getEvaluationInputs,
  growEvaluation,
  listStudyModels,
  planEvaluation,
  addDataState,
  type EvaluationTarget,
} from './plan';
import {
  compareData,
  describeDataChange,
  requireSameData,
  writeDataChange,
  writeDataSet,
  type DataChange,
  type EvaluatedSource,
  type ReportRows,
} from './data-state';
import { keepFillers } from './fillers';
import { readPersonaChecklists } from './persona-checklists';
import { PURPOSES } from './purposes';
import { getStudy, hasOpenStudies, listKinds, planStudies } from './studies';
import { omitUndefined } from '../../schemas/omit-undefined';

/** Options of the preparation, besides folder and target. */
export interface PrepareOptions {
  /** The folder, as the command names it. */
  readonly resultsDir: string;
  readonly data?: string | undefined;
  /** Folders of evaluations to compare the results with. */
  readonly compare?: readonly string[] | undefined;
  /** Scores the stored answers; calls no model under test. */
  readonly rescore?: true;
  /** Evaluates rows again whose content has changed. */
  readonly repeatChanged?: true;
  /** Only estimates the calls, so that no key is needed. */
  readonly estimate?: true;
  readonly check: boolean;
  readonly profile?: string;
}

/** Shows the user what is found. */
export interface PrepareObserver extends Required<DrawingObserver> {
  readonly onRead: ReportRows;
}

interface PreparedEvaluation {
  readonly compared: readonly StoredEvaluation[];
  /** Absent when nothing is to be asked: the results are computed from the stored answers. */
  readonly request?: Omit<EvaluationRequest, 'options' | 'named'>;
}

/**
 * Checks the target against the content of the folder, and plans the calls. Writes nothing.
 * @throws InputError, DataError or HubError when it is impossible
 */
export async function prepareEvaluation(
  folder: EvaluationFolder,
  before: EvaluationPlan | undefined,
  target: EvaluationTarget,
  options: PrepareOptions,
  observer: PrepareObserver,
): Promise<PreparedEvaluation> {
  const { report } = observer;
  if (options.repeatChanged === true && options.data === undefined) {
    throw new InputError(
      '--repeat-changed compares the data with the stored instances. Name the data with --data.',
    );
  }
  const dataSet = await openDataSet(options, before, report);
  refuseDifferences(options, folder, before, target);
  const comparedEvaluations = await readComparedEvaluations(
    options,
    dataSet?.sha256 ?? before?.inputs.data.sha256,
  );
  const purpose = getPurpose(target);
  if (before === undefined) await checkNewRunFolder(folder, PURPOSES[purpose].outputs, dataSet);
  const change = await findDataChange(folder, before, target, dataSet, options, observer);
  if (options.rescore === true && isEmptyTarget(target)) return { compared: comparedEvaluations };

  const grown = before === undefined ? undefined : await growPlan(folder, before, target, change, report);
  const todo = buildTodo(options, target);
  const { estimate = false } = options;
  if (!estimate && isFinished(folder.run, grown, todo) && !(await hasLostAnswers(folder, target, options))) {
    report(
      `The ${purpose} in ${options.resultsDir} is already finished. Its results are computed again from the stored answers.`,
    );
    return { compared: comparedEvaluations };
  }
  const askedSpecs = listAskedSpecs(options, target, grown);
  if (!estimate) await checkSpecs(askedSpecs, options.profile);
  const cells = options.check ? await listCellsLeft(folder, before, grown, target.cells) : [];
  const called = listAskedSpecs(options, { ...target, cells }, grown);
  const start =
    grown === undefined
      ? buildPlan(target, dataSet, observer)
      : {
          plan: grown,
          async keepInstances(into: Store) {
            const rows = await change?.write(into);
            await keepFillers(into, grown.inputs, observer);
            return rows;
          },
        };
  // Studies are drawn once the trials are done.
  const studies = async (store: Store) => planStudies(await readStoredEvaluation(store), target.studies);
  return {
    compared: comparedEvaluations,
    request: {
      folder,
      before,
      ...start,
      todo,
      compared: comparedEvaluations,
      asked: askedSpecs,
      called,
      studies,
    },
  };
}

/** Returns true if all that this command asks for is done. */
function isFinished(file: EvaluationFile | undefined, plan: EvaluationPlan | undefined, todo: Todo): boolean {
  if (file?.state !== 'finished' || !isDeepStrictEqual(plan?.inputs, getEvaluationInputs(file))) return false;
  return Object.keys(todo.studies).length === 0 || isDeepStrictEqual(todo.studies, file.todo.studies);
}

/** Returns true if a finished evaluation has lost answers that nothing depends on; they are asked for again. */
async function hasLostAnswers(
  { store }: EvaluationFolder,
  { cells, studies }: EvaluationTarget,
  { rescore }: PrepareOptions,
): Promise<boolean> {
  if (rescore === true) return false;
  const stored = await readStoredEvaluation(store);
  if ((await listOpenCells(stored, cells)).length > 0) return true;
  return hasOpenStudies(stored, listKinds(studies));
}

/** Opens the data set that the command names, unless the folder already has its instances. */
async function openDataSet(
  options: PrepareOptions,
  before: EvaluationPlan | undefined,
  report: (line: string) => void,
): Promise<DataSet | undefined> {
  const open = (location: string) => openData(location, { report, environment: process.env });
  if (options.data === undefined) {
    if (before !== undefined) return undefined;
    report(describePublishedData(await listRunsBeside(process.cwd())));
    return open(PUBLISHED_DATA);
  }
  if (before === undefined) return open(options.data);
  const { data } = before.inputs;
  if (options.data !== data.argument) return open(options.data);
  // A commit never changes.
  if (data.commit !== undefined && options.data.endsWith(`@${data.commit}`)) return undefined;
  try {
    return await open(options.data);
  } catch (error) {
    if (!(error instanceof DataError || error instanceof HubError)) throw error;
    report(
      `${data.argument} can no longer be read: ${getReason(error)} The evaluation continues with its stored instances.`,
    );
    return undefined;
  }
}

/** Says that the published data are evaluated, and how to name other data. @param runs run folders that the user may have meant */
function describePublishedData(runs: readonly string[]): string {
  const published = `No --data is given, so the published data are evaluated: ${PUBLISHED_DATA} on the Hugging Face Hub.`;
  const flags = runs.slice(0, RUNS_NAMED).map((run) => `--data ${quotePath(run)}`);
  return flags.length === 0
    ? `${published} To evaluate on other data, add --data.`
    : `${published} To evaluate on your own run instead, add ${flags.join(' or ')}.`;
}

/** Maximum of runs that are named to somebody who named no data. */
const RUNS_NAMED = 3;

function refuseDifferences(
  { resultsDir }: PrepareOptions,
  { location }: EvaluationFolder,
  before: EvaluationPlan | undefined,
  target: EvaluationTarget,
): void {
  if (before === undefined) return;
  const place = location ?? resultsDir;
  const replacement = location === undefined ? 'another --results-dir' : 'another --results-dir and --store';
  const purpose = getPurpose(target);
  const stored = getPurpose(before.inputs);
  if (stored !== purpose) {
    throw new InputError(
      `${place} contains ${PURPOSES[stored].nounWithCommand}. Name ${replacement} for the ${purpose}.`,
    );
  }
  const different = listEvaluationDifferences(before, target);
  if (different.length === 0) return;
  throw new InputError(
    [
      `${place} contains ${PURPOSES[purpose].noun} with other settings:`,
      ...different.map((line) => `- ${line}`),
      `Use the settings of that ${purpose} to continue it, or name ${replacement}. ${PURPOSES[purpose].changeable}`,
    ].join('\n'),
  );
}

/** A new state of the data, with the function that stores it and returns the number of its rows. */
interface FoundChange extends DataChange {
  readonly dataSet: DataSet;
  readonly write: (into: Store) => Promise<number>;
}

/**
 * Finds how the data that the command names differ from the stored ones; undefined if they do not.
 * @throws InputError if the evaluation cannot go on with them, or the user has not asked to do changed rows again
 */
async function findDataChange(
  { store, location }: EvaluationFolder,
  before: EvaluationPlan | undefined,
  target: EvaluationTarget,
  dataSet: DataSet | undefined,
  { resultsDir, rescore, repeatChanged }: PrepareOptions,
  observer: PrepareObserver,
): Promise<FoundChange | undefined> {
  if (before === undefined || dataSet === undefined || dataSet.sha256 === before.inputs.data.sha256) {
    return undefined;
  }
  if (rescore === true) {
    throw new InputError(
      `${dataSet.source} differs from the evaluated data, and --rescore scores stored answers only. Leave --data out, or evaluate the changed data first: repeat the earlier command without --rescore.`,
    );
  }
  const evaluation = await readStoredEvaluation(store);
  const readsPersonas = await isReadingPersonas(evaluation);
  const source = await buildEvaluatedSource(dataSet, target, observer);
  observer.report(`Comparing ${dataSet.source} with the stored instances.`);
  const change = await compareData({ ...evaluation, readsPersonas }, source);
  const place = location ?? resultsDir;
  requireSameData(change, {
    place,
    dataSet,
    purpose: getPurpose(target),
    readsPersonas,
    repeatChanged,
  });
  for (const line of describeDataChange(change)) observer.report(line);
  return {
    ...change,
    dataSet,
    async write(into) {
      await writeDataChange({ ...evaluation, store: into }, source, change);
      return change.rows.length;
    },
  };
}

/** Returns true if stored answers depend on all rows of a persona: verdicts, choices, extended histories, judgments on the contrastive preference. */
async function isReadingPersonas({ inputs, store }: StoredEvaluation): Promise<boolean> {
  const { cells } = inputs;
  if (PURPOSES[getPurpose(inputs)].readsPersonas || cells.some(({ task }) => task === 'choice')) return true;
  if (cells.some(({ context }) => getHistoryTier(context) !== undefined)) return true;
  return listKinds(await readStudies(store)).some((kind) => getStudy(kind).readsPersonas);
}

/** Adds the checklists of the personas to the data, if the calls read whole personas. */
async function buildEvaluatedSource(
  dataSet: DataSet,
  target: EvaluationTarget,
  { report, onRead }: PrepareObserver,
): Promise<EvaluatedSource> {
  const open = { report, environment: process.env };
  const { readsPersonas } = PURPOSES[getPurpose(target)];
  const checklists = readsPersonas ? await readPersonaChecklists(dataSet, open) : new Map();
  return { dataSet, filter: target.filter, checklists, onRead };
}

/**
 * Reads the evaluations to compare the results with; before anything is asked, because results come last.
 * @throws InputError when there is none, or its data are already included and would count twice
 */
async function readComparedEvaluations(
  options: PrepareOptions,
  ownSha256: string | undefined,
): Promise<StoredEvaluation[]> {
  const folders = new Map([[ownSha256, options.resultsDir]]);
  const evaluations: StoredEvaluation[] = [];
  for (const name of options.compare ?? []) {
    await requireStore(name);
    const evaluation = await findEvaluation(name);
    if (evaluation === undefined || getPurpose(evaluation.inputs) !== 'evaluation') {
      throw new InputError(
        `--compare ${name}: this folder does not contain an evaluation. Name the --results-dir of another evaluation.`,
      );
    }
    const { sha256 } = evaluation.inputs.data;
    if (folders.has(sha256)) {
      const first = folders.get(sha256);
      const reason =
        first === name ? 'this folder is included already' : `this evaluation has the same data as ${first}`;
      throw new InputError(
        `--compare ${name}: ${reason}, which would count twice. Name an evaluation of other data.`,
      );
    }
    folders.set(sha256, name);
    evaluations.push(evaluation);
  }
  return evaluations;
}

/** Returns true if there are neither cells nor studies, so that only stored answers are scored. */
function isEmptyTarget({ cells, studies }: EvaluationTarget): boolean {
  return cells.length === 0 && Object.keys(studies).length === 0;
}

/** Returns the evaluation with the target added. Cells without any result are removed, for example of a model that cannot be called. */
async function growPlan(
  { store }: EvaluationFolder,
  before: EvaluationPlan,
  target: EvaluationTarget,
  change: FoundChange | undefined,
  report: (line: string) => void,
): Promise<EvaluationPlan> {
  const stored = await readStoredEvaluation(store);
  if (target.filter !== undefined) {
    const personas = new Set((change?.rows ?? stored.index).map(({ persona_id: persona }) => persona));
    requireChosen(target.filter, personas, before.inputs.data.source);
  }
  const idle = target.cells.length === 0 ? [] : await listIdleCells(stored, target.cells);
  for (const cell of idle) {
    report(
      `Removed from the results: ${describeCell(cell)}, which has no scored instance and is not part of this command. Its stored answers are kept.`,
    );
  }
  const { inputs } = before;
  const data =
    change === undefined ? inputs.data : addDataState(inputs.data, change.dataSet, change.rows.length);
  const grown = growEvaluation({ ...before, inputs: { ...inputs, data } }, target, idle);
  const rows = change?.rows.map((row) => ({ ...row, split: getSplit(row.persona_id) })) ?? stored.index;
  const narrowed = describeNarrowedCells(inputs, rows, grown.inputs);
  if (narrowed !== undefined) report(narrowed);
  return grown;
}

/** Describes the instances that leave the results because this command selects fewer; undefined for none. */
function describeNarrowedCells(
  inputs: EvaluationInputs,
  rows: readonly SplitRow[],
  grown: EvaluationInputs,
): string | undefined {
  const grownCells = new Map(grown.cells.map((cell) => [buildCellIdentity(cell), cell]));
  const parts = inputs.cells.flatMap((cell) => {
    const grownCell = grownCells.get(buildCellIdentity(cell));
    if (grownCell === undefined || isDeepStrictEqual(grownCell.selection, cell.selection)) return [];
    const keptRows = new Set(selectRows(grownCell.selection, rows, grown.lists));
    const count = selectRows(cell.selection, rows, inputs.lists).filter((row) => !keptRows.has(row)).length;
    return count === 0 ? [] : [`${formatCount(count, 'instance')} of ${describeCell(cell)}`];
  });
  return parts.length === 0
    ? undefined
    : `Left out of the results: ${[...new Set(parts)].join('; ')}, because this command selects fewer. What was answered is kept, and a command that selects them shows them again.`;
}

/** Lists the wanted cells with calls left; all of them if an answer is damaged, which the run reports. */
async function listCellsLeft(
  { store }: EvaluationFolder,
  before: EvaluationPlan | undefined,
  grown: EvaluationPlan | undefined,
  target: EvaluationTarget['cells'],
): Promise<EvaluationTarget['cells']> {
  const isSame = before !== undefined && isDeepStrictEqual(before.inputs, grown?.inputs);
  if (!isSame) return target;
  try {
    return await listOpenCells(await readStoredEvaluation(store), target);
  } catch (error) {
    if (error instanceof JournalError) return target;
    throw error;
  }
}

/** Lists the SPECs of all models that some cells and studies call. */
function listAskedSpecs(
  options: PrepareOptions,
  target: EvaluationTarget,
  grown: EvaluationPlan | undefined,
): string[] {
  const { cells } = target;
  const specs = new Set(
    cells.flatMap((cell) => [...(options.rescore === true ? [] : [cell.model]), ...listEvaluators(cell)]),
  );
  for (const spec of listStudyModels(target)) specs.add(spec);
  const memory = grown?.inputs.memory ?? target.memory;
  if (memory !== undefined && cells.some(({ context }) => getContextForm(context) === 'memory'))
    specs.add(memory.spec);
  // All evaluators answer these, also for cells of earlier commands.
  const tested = new Set(listKinds(target.studies).flatMap((kind) => getStudy(kind).evaluators));
  for (const cell of grown?.inputs.cells ?? []) {
    if (tested.has(cell.task)) for (const spec of listEvaluators(cell).slice(-1)) specs.add(spec);
  }
  return [...specs];
}

/** @throws InputError when one of these models cannot be called from here */
export async function checkSpecs(specs: readonly string[], profile: string | undefined): Promise<void> {
  const localSpecs = specs.filter((spec) => {
    const { provider, url } = parseModelSpec(spec);
    return provider === 'module' || (provider === 'memory' && url === undefined);
  });
  if (localSpecs.length > 0 && isClusterChosen(profile)) {
    throw new InputError(
      `${localSpecs.join(', ')}: a module or command runs on this machine only, so it needs the embedded Temporal server. Unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE, and remove --profile.`,
    );
  }
  await checkModels(specs, process.env);
}

/** Plans a new evaluation. Its data set is read after all other checks, so that a refused command leaves nothing in the folder. */
function buildPlan(
  target: EvaluationTarget,
  dataSet: DataSet | undefined,
  observer: PrepareObserver,
): Pick<EvaluationRequest, 'plan' | 'keepInstances'> {
  if (dataSet === undefined) throw new Error('A new evaluation needs a data set.');
  observer.report(`Reading ${dataSet.source}.`);
  const plan = planEvaluation(target, dataSet, 0);
  return {
    plan,
    async keepInstances(store) {
      try {
        const rows = await writeDataSet(store, await buildEvaluatedSource(dataSet, target, observer));
        await keepFillers(store, plan.inputs, observer);
        return rows;
      } catch (error) {
        // There is no plan yet, only some of the instances.
        for await (const name of store.all('inputs')) await store.remove([name]);
        throw error;
      }
    },
  };
}

/** Lists the work of this command for the engine. */
function buildTodo(options: PrepareOptions, { cells, studies }: EvaluationTarget): Todo {
  return {
    cells: [...cells],
    onlyStored: options.rescore === true,
    onlyRetried: false,
    studies: omitUndefined({ ...studies, labels: studies.labels?.sha256 }),
  };
}
