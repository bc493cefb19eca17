import { isPaperData } from '../../data/paper';
import { PUBLISHED_DATA } from '../../data/published-data';
import type { EvaluatedData } from '../../schemas/evaluation/evaluation-run';
import { BUILT_IN_PROMPTS } from '../../schemas/run/prompts';
import { isInPaper, type ResultCell } from './tables';

interface ComparedResults {
  readonly cells: readonly ResultCell[];
  readonly data: Pick<EvaluatedData, 'source' | 'instances'>;
  readonly prompts: { readonly source: string };
}

/** Why the paper's numbers are not shown, or why they are not directly comparable; on other data, nothing where the paper has none. */
export function renderPaperNote({ cells, data, prompts }: ComparedResults): string[] {
  if (!isPaperData(data)) {
    if (!cells.some(isInPaper)) return [];
    return [
      `The paper's numbers are not shown, because its data set was not used. To compare with the paper, evaluate with --data ${PUBLISHED_DATA} into another --results-dir.`,
    ];
  }
  return [
    prompts.source === BUILT_IN_PROMPTS
      ? "The paper's numbers are not directly comparable: the paper used its own prompts, these results the built-in ones."
      : `The paper's numbers are directly comparable only if ${prompts.source} contains the paper's prompts.`,
  ];
}
