import type {
  Cell,
  ChosenPersonas,
  RevisionCounts,
  Matcher,
  Selection,
} from '../../schemas/evaluation/evaluation';
import type { EvaluationInputs, SplitRow } from '../../schemas/evaluation/evaluation-run';
import type { StudyWork, VerificationWork } from '../../schemas/evaluation/studies';
import { OutdatedPlan } from '../../schemas/run/outdated-plan';
import { groupBy } from '../group-by';
import { buildTrialId, type CallKey, type TrialKey } from '../../engine/journal/key';

/** One model on one instance, given a form of the history, and the cells of the results that it fills. */
export interface Trial extends TrialKey {
  readonly cells: readonly Cell[];
}

export interface RetriedCalls {
  /** Absent if none was. */
  readonly revisions?: RevisionCounts;
}

export interface TrialWork extends TrialKey, RetriedCalls {
  readonly inferences: readonly InferenceWork[];
  /** The numbers of the judges; none if no response is needed. */
  readonly judges: readonly number[];
  /** Whether the model chooses among preferences; absent if not. */
  readonly chooses?: boolean;
}

/** The model that decomposes an inferred preference, and the models that match it. */
export interface InferenceWork {
  readonly decomposer: number;
  readonly matchers: readonly NumberedMatcher[];
}

export interface NumberedMatcher {
  readonly number: number;
  readonly form: Matcher['form'];
}

/** Returns every trial that the cells of an evaluation need: by instance, then model, then form of the history. */
export function listTrials(
  inputs: Pick<EvaluationInputs, 'models' | 'evaluators' | 'cells' | 'lists'>,
  index: readonly SplitRow[],
): Trial[] {
  const arms = [...groupBy(inputs.cells, ({ model, context }) => `${model}\n${context}`).values()]
    .map((cells) => ({
      cells,
      chosen: cells.map(({ selection }) => new Set(selectRows(selection, index, inputs.lists))),
    }))
    .toSorted((a, b) => orderOf(inputs, a.cells) - orderOf(inputs, b.cells));
  return index.flatMap(({ number: instance }) =>
    arms.flatMap(({ cells, chosen: sets }) => {
      const [first, ...otherCells] = cells.filter((_, place) => sets[place]?.has(instance));
      if (first === undefined) return [];
      const model = getSpecNumber(inputs.models, first.model);
      return [{ instance, model, context: first.context, cells: [first, ...otherCells] }];
    }),
  );
}

/** Returns the evaluators of a trial by task. Each call is made once, however many cells use it. */
export function buildTrialWork(
  { evaluators }: Pick<EvaluationInputs, 'evaluators'>,
  { cells, ...key }: Trial,
): TrialWork {
  const matchers = new Map<number, NumberedMatcher[]>();
  const judges: number[] = [];
  for (const cell of cells) {
    if (cell.task === 'inference') {
      const decomposer = getSpecNumber(evaluators, cell.decomposer);
      const matcher = numberMatcher(evaluators, cell.matcher);
      matchers.set(decomposer, [...(matchers.get(decomposer) ?? []), matcher]);
    } else if (cell.task === 'generation') {
      judges.push(getSpecNumber(evaluators, cell.judge));
    }
  }
  const inferences = [...matchers].map(([decomposer, matcherNumbers]) => ({
    decomposer,
    matchers: matcherNumbers,
  }));
  const chooses = cells.some(({ task }) => task === 'choice');
  return { ...key, inferences, judges, ...(chooses && { chooses }) };
}

/** Returns the numbers of the selected rows, in the order of the data. */
export function selectRows(
  { limit, types, ...chosen }: Selection,
  index: readonly SplitRow[],
  lists: EvaluationInputs['lists'],
): number[] {
  const isChosen = createChooser(chosen, lists);
  const rows = index.flatMap((row) =>
    types.includes(row.instance_type) && isChosen(row) ? [row.number] : [],
  );
  return limit === null ? rows : rows.slice(0, limit);
}

/** Creates the function that returns whether a row's persona is chosen. @throws OutdatedPlan if the list is missing */
export function createChooser(
  { split, list }: ChosenPersonas,
  lists: EvaluationInputs['lists'],
): (row: Pick<SplitRow, 'persona_id' | 'split'>) => boolean {
  const ids = lists?.[list ?? ''];
  if (list !== undefined && ids === undefined) {
    throw new OutdatedPlan(`This evaluation has no list of personas ${list}.`);
  }
  const listed = ids && new Set(ids);
  return (row) =>
    (split === undefined || row.split === split) && (listed === undefined || listed.has(row.persona_id));
}

/** Returns the number, from 1, of a SPEC in one of the lists that only grow. @throws OutdatedPlan if it is missing */
export function getSpecNumber(list: readonly string[], spec: string): number {
  const at = list.indexOf(spec);
  if (at < 0) throw new OutdatedPlan(`${spec} is not among the models of this evaluation.`);
  return at + 1;
}

/** Returns the SPEC of that number. @throws OutdatedPlan if there is none */
export function getSpec(list: readonly string[], number: number): string {
  const spec = list[number - 1];
  if (spec === undefined) throw new OutdatedPlan(`This evaluation has no model number ${number}.`);
  return spec;
}

/** Returns a call's place in its workflow, as in its journal keys. */
export function formatCallPlace({ step, turn }: Pick<CallKey, 'step' | 'turn'>): string {
  return `${step}.t${turn}`;
}

/** Returns how often a call was retried: the revision of its journal keys. */
export function countRetries(call: Pick<CallKey, 'step' | 'turn'>, counts: RevisionCounts = {}): number {
  return counts[formatCallPlace(call)] ?? 0;
}

// Turns of evaluation's steps name models by number, so that one model's answers never stand for another's.

/** The two directions of a match, by the checklist whose entries are labeled. */
export const LISTS = ['inferred', 'true'] as const;

/** Returns the match step's turn: the inferred checklist against the true preference, or the true one against the inferred. */
export function buildMatchTurn(
  decomposer: number,
  { number, form }: NumberedMatcher,
  checklist: (typeof LISTS)[number],
): string {
  return `${decomposer}.${form === 'prefmatcher' ? 'p' : 'e'}${number}.${checklist}`;
}

/** Returns the match step's turn for a pair that people labeled. */
export function buildPairTurn({ number, form }: NumberedMatcher): string {
  return `${form === 'prefmatcher' ? 'p' : 'e'}${number}`;
}

/** Returns the judge step's turn for a repeated judging of a response, from the second on. */
export function buildRepeatTurn(judge: number, repetition: number): string {
  return `${judge}.r${repetition}`;
}

/** Returns the id of a piece of a study, with which its journal keys begin. */
export function buildStudyId(run: string, work: StudyWork): string {
  if (work.kind === 'pair') return `${run}/pair-${work.id}/${buildPairTurn(work.matcher)}`;
  if (work.kind === 'verification') return buildVerificationId(run, work);
  const trial = buildTrialId(run, work);
  if (work.kind === 'error') return `${trial}/error`;
  if (work.kind === 'misapplied') return `${trial}/misapplied/j${work.judge}`;
  return work.kind === 'repeats' ? `${trial}/repeats${work.judge}` : `${trial}/on${work.row}/j${work.judge}`;
}

/** Returns the id of the verification of a persona's instances, by the row of the first instance. */
export function buildVerificationId(
  run: string,
  { rows, round }: Pick<VerificationWork, 'rows' | 'round'>,
): string {
  return `${run}/v${rows[0] ?? 0}${round === 1 ? '' : '/repeat'}`;
}

/** Returns a matcher as named in the turns of its calls. */
export function numberMatcher(evaluators: readonly string[], { spec, form }: Matcher): NumberedMatcher {
  return { number: getSpecNumber(evaluators, spec), form };
}

function orderOf(
  { models, cells }: Pick<EvaluationInputs, 'models' | 'cells'>,
  arm: readonly Cell[],
): number {
  const [first] = arm;
  return first === undefined ? 0 : getSpecNumber(models, first.model) * cells.length + cells.indexOf(first);
}
