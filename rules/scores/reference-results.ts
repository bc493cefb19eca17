import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { CellRows } from './cells';
import { type ReferenceSums, computeReferenceSums } from './reference-sums';

/** The reference program's sums for one model, in the form of its results files: both tasks together. */
export interface ReferenceResults extends ReferenceSums {
  model: string;
  context: ScoreRow['context'];
  /** Matcher and decomposer; null if only generation was run. */
  matcher: Pick<ScoreRow, 'evaluator' | 'evaluator_form' | 'decomposer'> | null;
  /** The judge; null if only inference was run. */
  judge: string | null;
}

/**
 * Returns the reference's sums of every inference cell, together with the generation cell of the same model, context and evaluator. PrefMatcher
 * does not judge, so its cells go with any judge. Cells without a counterpart stand alone.
 */
export function computeReferenceResults(cells: readonly CellRows[]): ReferenceResults[] {
  const generations = cells.filter(({ cell }) => cell.task === 'generation');
  const pairs = cells
    .filter(({ cell }) => cell.task === 'inference')
    .flatMap((inference): Siblings[] => {
      const siblings = generations.filter((generation) => isSamePair(inference, generation));
      return siblings.length === 0
        ? [{ inference, generation: null }]
        : siblings.map((generation) => ({ inference, generation }));
    });
  const alone = generations
    .filter((generation) => !pairs.some((pair) => pair.generation === generation))
    .map((generation): Siblings => ({ inference: null, generation }));
  return [...pairs, ...alone].flatMap(buildResults);
}

interface Siblings {
  inference: CellRows | null;
  generation: CellRows | null;
}

function isSamePair({ cell: inference }: CellRows, { cell: generation }: CellRows): boolean {
  return (
    inference.model === generation.model &&
    inference.context === generation.context &&
    (inference.evaluator === generation.evaluator || inference.evaluator_form === 'prefmatcher')
  );
}

function buildResults({ inference, generation }: Siblings): ReferenceResults[] {
  const cell = inference?.cell ?? generation?.cell;
  if (cell === undefined) return [];
  const { evaluator, evaluator_form, decomposer } = cell;
  return [
    {
      model: cell.model,
      context: cell.context,
      matcher: inference === null ? null : { evaluator, evaluator_form, decomposer },
      judge: generation?.cell.evaluator ?? null,
      ...computeReferenceSums(inference?.rows ?? [], generation?.rows ?? []),
    },
  ];
}
