import { InvalidArgumentError } from 'commander';
import type { PrepareOptions } from '../../runs/evaluate/prepare';
import type { EvaluationOptions } from '../../runs/evaluate/options';
import { parseSpecOption, type CarryOutOptions } from '../options';

export interface EvalOptions extends CarryOutOptions, EvaluationOptions, PrepareOptions {
  /** Location of the evaluation's store, such as `s3://bucket/results`. */
  readonly store?: string;
}

/** Parses one SPEC of an option that takes several, and adds it to the earlier ones. */
export function parseSpecsOption(text: string, before: readonly string[] = []): string[] {
  return [...new Set([...before, parseSpecOption(text)])];
}

/**
 * Builds a parser for an option that takes several of these words, separated by commas. Repeated options add up; the
 * default is replaced.
 */
export function buildWordsParser<Word extends string>(words: readonly Word[]) {
  let chosenWords: Word[] = [];
  return (text: string): Word[] => {
    const names = text.split(',').map((word) => word.trim());
    const newWords = names.flatMap((word) => words.filter((name) => name === word));
    if (newWords.length < names.length) {
      throw new InvalidArgumentError(`Expected one or more of ${words.join(', ')}.`);
    }
    chosenWords = [...new Set([...chosenWords, ...newWords])];
    return chosenWords;
  };
}
