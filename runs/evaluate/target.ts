import { PREFMATCHER } from '../../data/published-data';
import { VERIFICATION_PROMPT_NAMES } from '../../data/prompts/files';
import { loadPromptPack } from '../../data/prompts/load';
import { type PersonaOptions, readPersonaFilter, storeChosen } from '../../data/sets/persona-filter';
import {
  buildPanelCells,
  buildMatrixCells,
  readEvaluationPrompts,
  type Panel,
  type EvaluationTarget,
} from './plan';
import type { EvaluationOptions } from './options';
import { buildStudyRequest, getStudy } from './studies';
import type { EvaluationPlan } from '../../data/run/evaluation-plan';
import type { Cell, ChosenPersonas, Task } from '../../schemas/evaluation/evaluation';
import { evaluationSettingsSchema, type EvaluationSettings } from '../../schemas/evaluation/evaluation-run';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { describeIssues } from '../../schemas/text/issues';
import { mapValues } from '../../schemas/map-values';
import { formatStudyOption, OPTIONAL_STUDY_KINDS, STUDIES } from '../../schemas/evaluation/studies';
import { listPresent } from '../../schemas/text/list-present';
import { evaluationSettingsFileSchema } from '../../schemas/run/settings';
import { EVALUATION_STEPS } from '../../schemas/run/step';
import { InputError } from '../../schemas/input-error';
import {
  getHistoryTier,
  listExtended,
  MEMORY_BUDGET,
  type Context,
  type ContextForm,
} from '../../schemas/evaluation/context';
import type { Memory } from '../../schemas/evaluation/memory';
import { readYamlOption } from '../plan/yaml-option';
import { omitUndefined } from '../../schemas/omit-undefined';

/** Lists the SPECs that a command line names. */
export function listSpecs({
  model,
  evaluator,
  decomposer,
  useMatcher,
  matcher,
  memory,
}: EvaluationOptions): string[] {
  const prefMatcher = useMatcher === true ? (matcher ?? PREFMATCHER) : undefined;
  const memorySpec = memory === undefined ? undefined : `memory:${memory}`;
  return [...(model ?? []), ...(evaluator ?? []), decomposer, prefMatcher, memorySpec].filter(
    (spec) => spec !== undefined,
  );
}

/** Builds the evaluation that a command line asks for, based on the folder. @throws InputError, DataError, PromptPackError */
export async function buildEvaluationTarget(
  options: EvaluationOptions,
  before: EvaluationPlan | undefined,
): Promise<EvaluationTarget> {
  refuseIdleOptions(options);
  refuseOfOtherTask(options);
  const prompts =
    before !== undefined && options.rescore === true && options.prompts === undefined
      ? before.prompts
      : await readEvaluationPrompts(options.prompts);
  const filter = await readPersonaFilter(options);
  const { chosen, lists } = storeChosen(filter);
  return {
    settings: await readEvaluationSettings(options, before),
    cells: planCells(options, before, chosen),
    filter,
    lists,
    studies: await buildStudyRequest(options, before),
    prompts,
    ...omitUndefined({ memory: readMemory(options, before) }),
  };
}

/** Options of a verification for its sample and settings. */
export interface VerificationOptions
  extends PersonaOptions, Pick<EvaluationOptions, 'seed' | 'prompts' | 'settings'> {
  /** SPEC of the verifying model. */
  readonly model: string;
  /** Number of personas. */
  readonly sample?: number;
}

/** Builds the verification that a command line asks for, based on the folder. @throws InputError, DataError, PromptPackError */
export async function buildVerificationTarget(
  options: VerificationOptions,
  before: EvaluationPlan | undefined,
): Promise<EvaluationTarget> {
  const filter = await readPersonaFilter(options);
  const { chosen, lists } = storeChosen(filter);
  return {
    settings: await readEvaluationSettings(options, before),
    cells: [],
    studies: { verification: { sample: options.sample ?? null, ...chosen } },
    filter,
    lists,
    prompts: await loadPromptPack(options.prompts, VERIFICATION_PROMPT_NAMES),
    verifier: options.model,
  };
}

/** Returns the memory system that a command names; undefined for none. @throws InputError when it has no use, or is missing */
function readMemory(
  { memory, memoryBudget, memoryTimeout, context, rescore }: EvaluationOptions,
  before: EvaluationPlan | undefined,
): Memory | undefined {
  const usesMemory = listForms(context, memory).includes('memory') && rescore !== true;
  if (memory !== undefined && !usesMemory) {
    throw new InputError(
      '--memory has no effect without the context memory. Add memory to --context, or leave --memory out.',
    );
  }
  for (const [option, value] of [
    ['--memory-budget', memoryBudget],
    ['--memory-timeout', memoryTimeout],
  ] as const) {
    if (memory === undefined && value !== undefined)
      throw new InputError(`${option} has no effect without --memory. Add --memory, or leave it out.`);
  }
  if (memory !== undefined) {
    const budgetTokens = memoryBudget ?? MEMORY_BUDGET;
    return { spec: `memory:${memory}`, budgetTokens, ...omitUndefined({ timeoutMs: memoryTimeout }) };
  }
  if (usesMemory && before?.inputs.memory === undefined) {
    throw new InputError(
      '--context memory needs a memory system. Name it, for example --memory "command:python my_memory.py".',
    );
  }
  return undefined;
}

/** Returns the forms of the history that a command asks for: with a memory system, also those that it is compared with. */
function listForms(
  context: EvaluationOptions['context'],
  memory: string | undefined,
): readonly ContextForm[] {
  return context ?? (memory === undefined ? ['full'] : ['full', 'oracle', 'memory', 'none']);
}

/** Returns the contexts of a command: each form with each length of the history, and once if it does not depend on the length. */
function listContexts({ context, memory, history = ['own'] }: EvaluationOptions): Context[] {
  return listForms(context, memory).flatMap((form): Context[] => {
    const extended = history.flatMap((length) => (length === 'own' ? [] : listExtended(form, length)));
    return history.includes('own') || extended.length === 0 ? [form, ...extended] : extended;
  });
}

/** Rejects options without any effect, because the user expects them to change the numbers. */
function refuseIdleOptions({
  matcher,
  useMatcher,
  oraclePreference,
  task,
  ...options
}: EvaluationOptions): void {
  if (matcher !== undefined && useMatcher !== true) {
    throw new InputError(
      '--matcher has no effect without --use-matcher. Add --use-matcher, or leave --matcher out.',
    );
  }
  const { context, history, limit, types, split, wherePersona } = options;
  const idle = Object.entries({
    context,
    history,
    limit,
    types,
    split,
    'where-persona': wherePersona,
    'oracle-preference': oraclePreference,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`]));
  if (options.rescore === true && idle.length > 0) {
    throw new InputError(
      `--rescore scores everything that is stored, so ${idle.join(' and ')} cannot be combined with it. Leave one of them out.`,
    );
  }
  if (oraclePreference === true && context !== undefined && !listTasks(task).includes('inference')) {
    throw new InputError(
      '--oracle-preference replaces the history of generation, so --context has no effect. Leave --context out.',
    );
  }
  const isExtended = history?.some((length) => length !== 'own') === true;
  const isGenerationOnly = oraclePreference === true && !listTasks(task).includes('inference');
  if (isExtended && (isGenerationOnly || !listContexts(options).some(getHistoryTier))) {
    throw new InputError(
      '--history has no effect on contexts that show the relevant sessions or none. Add full, memory or summary to --context, or leave --history out.',
    );
  }
  if (oraclePreference === true && !listTasks(task).includes('generation')) {
    throw new InputError(
      '--oracle-preference applies to generation only. Add --task generation or --task both, or leave --oracle-preference out.',
    );
  }
}

/** Rejects options of one task in a command for the other. */
function refuseOfOtherTask(options: EvaluationOptions): void {
  if (options.rescore === true) return;
  const tasks = listTasks(options.task);
  const idle = OPTIONAL_STUDY_KINDS.filter((kind) => {
    const { tasks: needed } = getStudy(kind);
    const isUsable = needed.length === 0 || needed.some((task) => tasks.includes(task));
    return options[STUDIES[kind].option] !== undefined && !isUsable;
  });
  const ofBoth = idle.find((kind) => getStudy(kind).tasks.length > 1);
  if (ofBoth !== undefined) {
    const option = formatStudyOption(ofBoth);
    throw new InputError(
      `${option} tests matchers and judges, and a choice has none. Add --task inference or --task generation, or leave ${option} out.`,
    );
  }
  const listIdle = (task: Task) =>
    idle.filter((kind) => getStudy(kind).tasks.includes(task)).map(formatStudyOption);
  const ofInference = tasks.includes('inference')
    ? []
    : [
        ...listIdle('inference'),
        ...listPresent(
          options.decomposer !== undefined && '--decomposer',
          options.useMatcher !== undefined && '--use-matcher',
        ),
      ];
  const optionNames = [...ofInference, ...listIdle('generation')];
  if (optionNames.length === 0) return;
  const neededTask = ofInference.length > 0 ? 'inference' : 'generation';
  throw new InputError(
    `${optionNames.join(' and ')}: applies to ${neededTask} only. Add --task ${neededTask} or --task both, or leave it out.`,
  );
}

/** Returns the tasks of a command; `both` are the paper's. */
function listTasks(task: EvaluationOptions['task'] = 'inference'): readonly Task[] {
  return task === 'both' ? ['inference', 'generation'] : [task];
}

function planCells(
  options: EvaluationOptions,
  before: EvaluationPlan | undefined,
  chosen: ChosenPersonas,
): Cell[] {
  const { model, evaluator } = options;
  if (options.rescore === true) {
    if (before === undefined) {
      throw new InputError(
        `${options.resultsDir} contains no stored answers to rescore: it has no .cupid of an evaluation. Name the folder that cupid eval wrote, or copy all of it; to begin an evaluation, leave --rescore out.`,
      );
    }
    if (model !== undefined) {
      throw new InputError('--rescore calls no model under test. Leave --model or --rescore out.');
    }
    if (evaluator === undefined) {
      const again = [options.decomposer, options.useMatcher, options.task].some(
        (option) => option !== undefined,
      );
      if (again)
        throw new InputError('To match or judge again, name the model that evaluates with --evaluator.');
      return [];
    }
    return buildPanelCells(before.inputs, listTasks(options.task ?? 'both'), buildPanel(options, evaluator));
  }
  const tasks = listTasks(options.task);
  const isJudged = tasks.some((task) => task !== 'choice');
  if (evaluator !== undefined && !isJudged) {
    throw new InputError(
      '--evaluator has no effect on a choice, whose letter is compared with the right one. Leave --evaluator out, or add a task with another command.',
    );
  }
  if (model === undefined || (evaluator === undefined && isJudged)) {
    const missing = model === undefined ? '--model' : '--evaluator';
    throw new InputError(
      `${missing} is missing: name ${model === undefined ? 'the model to evaluate' : 'the model that evaluates'}, for example ${missing} openai:gpt-6.1-terra.`,
    );
  }
  return buildMatrixCells(
    {
      models: model,
      tasks,
      contexts: listContexts(options),
      oraclePreference: options.oraclePreference === true,
      selection: { limit: options.limit ?? null, types: [...(options.types ?? INSTANCE_TYPES)], ...chosen },
    },
    buildPanel(options, evaluator ?? []),
  );
}

function buildPanel(
  { decomposer, useMatcher, matcher = PREFMATCHER }: EvaluationOptions,
  evaluators: readonly string[],
): Panel {
  return { evaluators, decomposer, prefMatcher: useMatcher === true ? matcher : undefined };
}

/** Reads the settings that a command line asks for, based on the folder. @throws InputError */
async function readEvaluationSettings(
  options: Pick<EvaluationOptions, 'rescore' | 'settings' | 'seed' | 'referenceCompatible'>,
  before: EvaluationPlan | undefined,
): Promise<EvaluationSettings> {
  const storedSettings = before?.inputs.settings;
  // Scoring again keeps the settings of the calls.
  if (options.rescore === true && storedSettings !== undefined && options.settings === undefined) {
    return {
      ...storedSettings,
      seed: options.seed ?? storedSettings.seed,
      referenceCompatible: options.referenceCompatible ?? storedSettings.referenceCompatible,
    };
  }
  const file = await readYamlOption(
    evaluationSettingsFileSchema,
    options.settings,
    'settings',
    SETTINGS_HINT,
  );
  const settings = {
    ...file,
    seed: options.seed ?? storedSettings?.seed,
    referenceCompatible: options.referenceCompatible ?? false,
  };
  const parsed = evaluationSettingsSchema.safeParse(settings);
  if (!parsed.success) {
    throw new InputError(describeIssues('The command line', parsed.error, settings));
  }
  return parsed.data.referenceCompatible ? disableRepairs(parsed.data) : parsed.data;
}

/** Turns off repairs, as in the reference: the first answer stands. */
function disableRepairs(settings: EvaluationSettings): EvaluationSettings {
  return {
    ...settings,
    steps: mapValues(settings.steps, (asking) => ({ ...asking, maxRepairs: 0, maxSamples: 1 })),
  };
}

const SETTINGS_HINT = `A settings file may contain, under steps, ${EVALUATION_STEPS.filter((step) => step !== 'recall').join(', ')}; for example:
steps:
  infer: { temperature: 0, maxTokens: 8192, maxRepairs: 4, maxSamples: 2 }`;
