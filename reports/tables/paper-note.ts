import { PUBLISHED_DATA } from '../../data/published-data';
import { readPaperNumbers } from '../../data/paper';
import { isComparable, listParts } from '../../evaluations/paper-setup';
import { isInPaper, type ResultCell } from './results';

/** Which parts of the set-up keep the paper's numbers from being shown, and how to have the same; nothing where the paper has none. */
export function renderPaperNote(cells: readonly ResultCell[]): string[] {
  const others = cells.filter((cell) => isInPaper(cell) && !isComparable(cell.setup));
  if (others.length === 0) return [];
  const parts = others.flatMap(({ setup }) =>
    listParts(setup).flatMap(([name, part]) =>
      part === 'paper' ? [] : [`${name} ${part.slice('other '.length)}`],
    ),
  );
  return [
    `The paper's numbers are shown only beside results with its set-up. Other here: ${[...new Set(parts)].join(', ')}. ` +
      `To compare with the paper, evaluate with --data ${PUBLISHED_DATA}, --evaluator ${readPaperNumbers().evaluator} and --prompts DIR, ` +
      "where DIR contains the prompts of the paper's authors, into another --results-dir.",
  ];
}
