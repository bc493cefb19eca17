import type { EvaluationPlan } from '../../data/run/evaluation-plan';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import type { DataSet } from '../../data/sets/data-set';
import type { PersonaFilter } from '../../data/sets/persona-filter';
import { EVALUATION_PROMPT_NAMES } from '../../data/prompts/files';
import { loadPromptPack } from '../../data/prompts/load';
import { groupBy } from '../../rules/group-by';
import { formatModelName } from '../../schemas/model/model-spec';
import { formatCount } from '../../schemas/text/count-text';
import { createRunId } from '../folder/run-id';
import type { Cell, Matcher, Selection, Task } from '../../schemas/evaluation/evaluation';
import type { Context, HistoryForm } from '../../schemas/evaluation/context';
import {
  evaluationInputsSchema,
  type EvaluatedData,
  type EvaluationFile,
  type EvaluationInputs,
  type EvaluationSettings,
} from '../../schemas/evaluation/evaluation-run';
import type { Memory } from '../../schemas/evaluation/memory';
import { getPurpose } from '../../schemas/evaluation/purpose';
import type { PromptPack } from '../../schemas/run/prompts';
import { listEvaluators, buildCellIdentity } from '../../rules/trials/cells';
import { listSettingDifferences, listPromptDifferences } from '../plan/differences';
import type { StudyRequest } from './studies/study';
import { omitUndefined } from '../../schemas/omit-undefined';

/** Parts of an evaluation that a command asks for. */
export interface EvaluationTarget {
  readonly settings: EvaluationSettings;
  readonly cells: readonly Cell[];
  readonly studies: StudyRequest;
  /** The personas that the command chooses, whom the data must have; absent for all. */
  readonly filter?: PersonaFilter | undefined;
  readonly lists?: EvaluationInputs['lists'];
  readonly prompts: PromptPack;
  readonly memory?: Memory;
  /** SPEC of the verifying model, in a verification. */
  readonly verifier?: string;
}

/** Models that evaluate, each independently of the others. */
export interface Panel {
  readonly evaluators: readonly string[];
  /** The evaluator itself when absent. */
  readonly decomposer?: string | undefined;
  /** Model that matches in place of the evaluators, in PrefMatcher's form. */
  readonly prefMatcher?: string | undefined;
}

/** Tasks of each model, and the history that it is given. */
interface Matrix {
  readonly models: readonly string[];
  readonly tasks: readonly Task[];
  readonly contexts: readonly Context[];
  /** True if generation is given the true preference in place of the history. */
  readonly oraclePreference: boolean;
  readonly selection: Selection;
}

export function buildMatrixCells(
  { models, tasks, contexts, oraclePreference, selection }: Matrix,
  panel: Panel,
): Cell[] {
  const arms = models.flatMap((model) =>
    contexts.flatMap((context): Arm[] =>
      tasks.map((task) =>
        task === 'generation'
          ? { task, model, context: oraclePreference ? 'preference' : context, selection }
          : { task, model, context, selection },
      ),
    ),
  );
  return removeRepeated(arms.flatMap((arm) => buildArmCells(arm, panel)));
}

/** Builds the cells in which another panel evaluates every earlier answer of the models under test. */
export function buildPanelCells(
  { cells }: Pick<EvaluationInputs, 'cells'>,
  tasks: readonly Task[],
  panel: Panel,
): Cell[] {
  const taskCells = cells.filter(({ task }) => tasks.includes(task));
  const arms = groupBy(taskCells, ({ task, model, context }) => JSON.stringify([task, model, context]));
  const panelCells = [...arms.values()].flatMap((armCells) => {
    const selection = computeUnion(armCells.map((cell) => cell.selection));
    return armCells.slice(0, 1).flatMap((cell) => {
      const { model } = cell;
      const arm: Arm =
        cell.task === 'generation'
          ? { task: cell.task, model, context: cell.context, selection }
          : { task: cell.task, model, context: cell.context, selection };
      return buildArmCells(arm, panel);
    });
  });
  return removeRepeated(panelCells);
}

/** Removes repeated cells: with one decomposer and a matcher model, all evaluators of an inference are the same. */
function removeRepeated(cells: readonly Cell[]): Cell[] {
  return [...new Map(cells.map((cell) => [buildCellIdentity(cell), cell])).values()];
}

/** Computes a selection that covers all given ones, so that every evaluator gets the instances of every other. */
function computeUnion(selections: readonly Selection[]): Selection {
  const limits = selections.flatMap(({ limit }) => (limit === null ? [] : [limit]));
  const { split, list } = selections[0] ?? {};
  const isSame = selections.every((selection) => selection.split === split && selection.list === list);
  return {
    limit: limits.length < selections.length ? null : Math.max(...limits),
    types: INSTANCE_TYPES.filter((type) => selections.some(({ types }) => types.includes(type))),
    ...(isSame && omitUndefined({ split, list })),
  };
}

/** A model with a task and a form of the history. */
type Arm =
  | {
      readonly task: 'inference' | 'choice';
      readonly model: string;
      readonly context: Context;
      readonly selection: Selection;
    }
  | {
      readonly task: 'generation';
      readonly model: string;
      readonly context: HistoryForm;
      readonly selection: Selection;
    };

function buildArmCells(arm: Arm, { evaluators, decomposer, prefMatcher }: Panel): Cell[] {
  if (arm.task === 'choice') return [{ ...arm, task: 'choice' }];
  return evaluators.map((evaluator): Cell => {
    if (arm.task === 'generation') return { ...arm, judge: evaluator };
    const matcher: Matcher =
      prefMatcher === undefined
        ? { spec: evaluator, form: 'evaluator' }
        : { spec: prefMatcher, form: 'prefmatcher' };
    return { ...arm, task: 'inference', decomposer: decomposer ?? evaluator, matcher };
  });
}

/** Reads the prompts that evaluation needs. @throws PromptPackError */
export async function readEvaluationPrompts(folder: string | undefined): Promise<PromptPack> {
  return loadPromptPack(folder, EVALUATION_PROMPT_NAMES);
}

/** Plans a new evaluation of a data set whose instances are stored. */
export function planEvaluation(
  target: EvaluationTarget,
  dataSet: DataSet,
  instances: number,
): EvaluationPlan {
  const begun: EvaluationInputs = {
    kind: 'evaluation',
    id: createRunId(getPurpose(target)),
    data: buildEvaluatedData(dataSet, instances),
    settings: target.settings,
    prompts: { source: target.prompts.source, hash: target.prompts.hash },
    models: [],
    evaluators: [],
    cells: [],
    ...omitUndefined({ verifier: target.verifier }),
  };
  return { inputs: growInputs(begun, target), prompts: target.prompts };
}

/** Returns the record of data that changed, with the records of the earlier states. */
export function addDataState(
  { earlier = [], ...before }: EvaluatedData,
  dataSet: DataSet,
  instances: number,
): EvaluatedData {
  return { ...buildEvaluatedData(dataSet, instances), earlier: [...earlier, before] };
}

/**
 * Returns the evaluation with the wanted cells added. Existing cells get the wanted selection.
 * @param idle cells that are removed from it
 */
export function growEvaluation(
  plan: EvaluationPlan,
  target: EvaluationTarget,
  idle: readonly Cell[],
): EvaluationPlan {
  const left = new Set(idle.map(buildCellIdentity));
  const cells = plan.inputs.cells.filter((cell) => !left.has(buildCellIdentity(cell)));
  return { ...plan, inputs: growInputs({ ...plan.inputs, cells }, target) };
}

/** Lists the differences that make the wanted evaluation another one, one line each; empty if the plan can be continued. */
export function listEvaluationDifferences(
  { inputs, prompts }: EvaluationPlan,
  target: EvaluationTarget,
): string[] {
  const { referenceCompatible } = target.settings;
  const verifiers =
    inputs.verifier === target.verifier ? [] : [`--model: ${inputs.verifier} before, ${target.verifier} now`];
  const settingDifferences =
    inputs.settings.referenceCompatible === referenceCompatible
      ? listSettingDifferences('', inputs.settings, target.settings)
      : [
          `--reference-compatible: ${formatOption(!referenceCompatible)} before, ${formatOption(referenceCompatible)} now`,
        ];
  if (
    inputs.memory !== undefined &&
    target.memory !== undefined &&
    (inputs.memory.spec !== target.memory.spec || inputs.memory.budgetTokens !== target.memory.budgetTokens)
  ) {
    settingDifferences.push(
      `--memory: ${formatMemory(inputs.memory)} before, ${formatMemory(target.memory)} now`,
    );
  }
  return [...verifiers, ...settingDifferences, ...listPromptDifferences(prompts, target.prompts)];
}

/** Returns the inputs with those of the target added; `models` and `evaluators` only grow, because journal keys hold their numbers. */
function growInputs(inputs: EvaluationInputs, target: EvaluationTarget): EvaluationInputs {
  const cells = new Map(inputs.cells.map((cell) => [buildCellIdentity(cell), cell]));
  const targetCells = target.cells;
  for (const cell of targetCells) cells.set(buildCellIdentity(cell), cell);
  const evaluating = [...targetCells.flatMap(listEvaluators), ...listStudyModels(target)];
  const lists = { ...inputs.lists, ...target.lists };
  return {
    ...inputs,
    ...(Object.keys(lists).length > 0 && { lists }),
    models: [...new Set([...inputs.models, ...targetCells.map(({ model }) => model)])],
    evaluators: [...new Set([...inputs.evaluators, ...evaluating])],
    cells: [...cells.values()],
    ...omitUndefined({ memory: target.memory ?? inputs.memory }),
  };
}

/** Lists the SPECs that the studies name themselves. */
export function listStudyModels({ studies, verifier }: EvaluationTarget): string[] {
  return [studies.errors?.labeler, verifier].filter((spec) => spec !== undefined);
}

function formatMemory({ spec, budgetTokens }: Memory): string {
  return `${formatModelName(spec)} with ${formatCount(budgetTokens, 'token')}`;
}

function formatOption(option: boolean): string {
  return option ? 'given' : 'not given';
}

/** Builds the record of the data's origin in an evaluation or a review. */
export function buildEvaluatedData(dataSet: DataSet, instances: number): EvaluatedData {
  const { argument, source, commit, files, sha256, simulated } = dataSet;
  const hashed = files.map((file) => ({ name: file.name, sha256: file.sha256 }));
  return omitUndefined({ argument, source, commit, files: hashed, sha256, instances, simulated });
}

/** Returns the inputs in `run.json`. The stored plan may have grown since, before its workflows were started. */
export function getEvaluationInputs(file: EvaluationFile): EvaluationInputs {
  return evaluationInputsSchema.parse(file);
}
