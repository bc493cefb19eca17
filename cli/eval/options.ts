import { InvalidArgumentError } from 'commander';
import type { EvaluationOptions } from '../../runs/evaluate/request';
import { parseSpecOption, type CarryOutOptions } from '../options';

export interface EvalOptions extends CarryOutOptions, EvaluationOptions {
  /** Where the evaluation has its store, such as `s3://bucket/results`. */
  readonly store?: string;
  readonly data?: string;
  readonly compare?: readonly string[];
}

/** A commander parser for an option that takes several SPECs, or is given several times. */
export function parseSpecsOption(text: string, before: readonly string[] = []): string[] {
  return [...new Set([...before, parseSpecOption(text)])];
}

/** A commander parser for an option that takes several of some words, replacing its default. */
export function buildWordsParser<Word extends string>(words: readonly Word[]) {
  let given: Word[] = [];
  return (text: string): Word[] => {
    const wanted = text.split(',').map((word) => word.trim());
    const known = wanted.flatMap((word) => words.filter((one) => one === word));
    if (known.length < wanted.length) {
      throw new InvalidArgumentError(`Expected one or more of ${words.join(', ')}.`);
    }
    given = [...new Set([...given, ...known])];
    return given;
  };
}
