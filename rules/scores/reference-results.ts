import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { CellRows } from './cells';
import { type ReferenceSums, computeReferenceSums } from './reference-sums';

/** The reference program's own sums for one model, as one of its results files holds them: both tasks together. */
export interface ReferenceResults extends ReferenceSums {
  model: string;
  context: ScoreRow['context'];
  /** Who matched and who decomposed; null where only generation was run. */
  matcher: Pick<ScoreRow, 'evaluator' | 'evaluator_form' | 'decomposer'> | null;
  /** Who judged; null where only inference was run. */
  judge: string | null;
}

/**
 * Returns the reference's sums of every inference cell together with the generation cell of the same model and context that the same
 * evaluator judged, or any evaluator where PrefMatcher matched, for it does not judge. Cells without a counterpart stand alone.
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
