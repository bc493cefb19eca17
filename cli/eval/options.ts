import { InvalidArgumentError } from 'commander';
import type { Context } from '../../schemas/evaluation/context';
import type { Task } from '../../schemas/evaluation/evaluation';
import type { InstanceType } from '../../schemas/dataset/instance-type';
import { parseSpecOption, type CarryOutOptions } from '../options';

export interface EvalOptions extends CarryOutOptions {
  readonly resultsDir: string;
  /** Where the evaluation has its store, such as `s3://bucket/results`. */
  readonly store?: string;
  readonly model?: readonly string[];
  readonly evaluator?: readonly string[];
  readonly decomposer?: string;
  readonly data?: string;
  readonly task?: Task | 'both';
  readonly useMatcher?: true;
  readonly matcher?: string;
  readonly context?: readonly Context[];
  readonly oraclePreference?: true;
  readonly limit?: number;
  readonly types?: readonly InstanceType[];
  readonly errors?: number;
  readonly judgeRepeats?: number;
  readonly labels?: string;
  readonly compare?: readonly string[];
  readonly referenceCompatible?: true;
  readonly rescore?: true;
  readonly seed?: number;
  readonly prompts?: string;
  readonly settings?: string;
}

/** PrefMatcher's address when it is served as docs/evaluation.md says. */
export const PREFMATCHER = 'openai-compatible:kixlab/prefmatcher-7b@http://localhost:8000/v1';

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
