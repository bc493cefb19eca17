import type { EvaluationPlan } from '../../data/run/evaluation-plan';
import type { OutputPlacement } from '../../data/run/place-outputs';
import type { EvaluationFile } from '../../schemas/evaluation/evaluation-run';
import { getPurpose } from '../../schemas/evaluation/purpose';
import type { EvaluationResults } from '../../schemas/evaluation/results';
import { assertUnchanged, type RunFolder } from '../folder/run-folder';
import { lockRunFolder } from '../folder/run-lock';
import { readStoredEvaluation, type StoredEvaluation } from './outcomes';
import { writeResults } from './results';
import { writeVerification, type WrittenVerification } from './verification-results';

export type EvaluationFolder = RunFolder<EvaluationFile, EvaluationPlan>;

/** Inputs of results, besides the evaluation itself. */
interface ResultsWriting {
  /** Evaluations on other data, to compare the results with. */
  readonly compared: readonly StoredEvaluation[];
  readonly report: (line: string) => void;
}

/** Results of an evaluation, or of a verification, and what became of their files. */
export type WrittenEvaluation = WrittenVerification | WrittenScores;

export interface WrittenScores {
  readonly kind: 'evaluation';
  readonly results: EvaluationResults;
  readonly placement: OutputPlacement;
  /** True while a part of the evaluation was not asked yet. */
  readonly isOpen: boolean;
  /** Whether they were compared with other evaluations. */
  readonly isCompared: boolean;
}

/** Writes the results of an evaluation, or of a verification, from its store into its folder, under the folder's lock. */
export async function writeEvaluation(
  folder: EvaluationFolder,
  { compared, report }: ResultsWriting,
): Promise<WrittenEvaluation> {
  report('Writing the results.');
  const evaluation = await readStoredEvaluation(folder.store);
  if (getPurpose(evaluation.inputs) === 'verification') return writeVerification(folder, evaluation);
  const files = await writeResults(folder, evaluation, compared);
  const isOpen = files.results.cells.some(({ all }) => all.counts.open > 0);
  return { kind: 'evaluation', ...files, isOpen, isCompared: compared.length > 0 };
}

/** Computes the results of an evaluation again from its stored answers. @param before the plan when the folder was read */
export async function rescoreEvaluation(
  folder: EvaluationFolder,
  before: EvaluationPlan | undefined,
  writing: ResultsWriting,
): Promise<WrittenEvaluation> {
  await using _lock = await lockRunFolder(folder);
  await assertUnchanged(folder, before);
  return await writeEvaluation(folder, writing);
}
