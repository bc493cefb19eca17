import type { CellKey } from '../../schemas/evaluation/results/keys';
import type { ReferenceResults } from '../../schemas/evaluation/results/summary';
import type { CellRows } from './cells';
import { computeReferenceSums } from './reference-sums';

/**
 * Returns the reference's sums of every inference cell, together with the generation cell of the same model, context and evaluator. PrefMatcher
 * does not judge, so its cells go with any judge. Cells without a counterpart stand alone.
 */
export function computeReferenceResults(cells: readonly CellRows[]): ReferenceResults[] {
  const inferences = cells.filter(({ cell }) => cell.task === 'inference');
  const generations = cells.filter(({ cell }) => cell.task === 'generation');
  const results = inferences.flatMap((inference) => {
    const siblings = generations.filter((generation) => isSamePair(inference, generation));
    return siblings.length === 0
      ? [buildReferenceResults(inference.cell, inference, undefined)]
      : siblings.map((generation) => buildReferenceResults(inference.cell, inference, generation));
  });
  const alone = generations.filter(
    (generation) => !inferences.some((inference) => isSamePair(inference, generation)),
  );
  return [
    ...results,
    ...alone.map((generation) => buildReferenceResults(generation.cell, undefined, generation)),
  ];
}

function isSamePair({ cell: inference }: CellRows, { cell: generation }: CellRows): boolean {
  return (
    inference.model === generation.model &&
    inference.context === generation.context &&
    (inference.evaluator === generation.evaluator || inference.evaluator_form === 'prefmatcher')
  );
}

function buildReferenceResults(
  { model, context, evaluator, evaluator_form, decomposer }: CellKey,
  inference: CellRows | undefined,
  generation: CellRows | undefined,
): ReferenceResults {
  return {
    model,
    context,
    matcher: inference === undefined ? null : { evaluator, evaluator_form, decomposer },
    judge: generation?.cell.evaluator ?? null,
    ...computeReferenceSums(inference?.rows ?? [], generation?.rows ?? []),
  };
}
