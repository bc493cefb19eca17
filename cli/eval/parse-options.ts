import type { PrepareOptions } from '../../runs/evaluate/prepare';
import type { EvaluationOptions } from '../../runs/evaluate/options';
import { buildWordParser, parseSpecOption, type CarryOutOptions } from '../options';

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
  const parseWord = buildWordParser(words, 'one or more');
  let chosenWords: Word[] = [];
  return (text: string): Word[] => {
    chosenWords = [...new Set([...chosenWords, ...text.split(',').map(parseWord)])];
    return chosenWords;
  };
}
