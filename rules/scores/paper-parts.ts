import type { PaperPart, PaperSetup } from '../../schemas/evaluation/results';

/** Returns whether a number with this set-up is comparable with the paper's. */
export function isComparable(setup: PaperSetup): boolean {
  return listParts(setup).every(([, part]) => part === 'paper');
}

/** Lists the parts of a set-up with their names, in a fixed order. */
export function listParts({ data, prompts, decomposer, matcher, judge }: PaperSetup): [string, PaperPart][] {
  return Object.entries({ data, prompts, decomposer, matcher, judge }).flatMap(([name, part]) =>
    part === undefined ? [] : [[name, part]],
  );
}
