import { omitUndefined } from '../../schemas/omit-undefined';
import { findCloseWord } from '../../schemas/text/close-names';

/** Behavior of a simulated model besides answering. */
export interface SimulatedOptions {
  /** Milliseconds. */
  readonly latency: number;
  // Fractions of its answers.
  readonly malformed: number;
  readonly refused: number;
  readonly empty: number;
  /** Requests that contain this text get no usable answer. */
  readonly fail?: string;
  /** Tokens. */
  readonly context?: number;
  /** Sessions that a model under test reads, without a mistake; with the average skill if absent. */
  readonly reads?: Reads;
  /** Matches and judges everything as right, or as wrong. */
  readonly judge?: (typeof JUDGES)[number];
}

/** Simulated models of different ability: what each reads as a model under test, and its options. A SPEC may add others. */
export const SIMULATED_MODELS: Readonly<
  Record<string, { readonly meaning: string; readonly options: Readonly<Record<string, string>> }>
> = {
  default: { meaning: 'of average ability: reads some of the sessions, and makes mistakes', options: {} },
  careful: { meaning: "reads every session of the request's context", options: { reads: 'all' } },
  hasty: { meaning: 'reads the last session only', options: { reads: 'last' } },
};

const READS = ['none', 'first', 'last', 'all'] as const;
/** No session, the first one of the request's context, the last one of any, or all of the request's context. */
export type Reads = (typeof READS)[number];

const JUDGES = ['lenient', 'harsh'] as const;

export const SIMULATED_OPTIONS: Readonly<Record<keyof SimulatedOptions, string>> = {
  latency: 'time that an answer takes, for example 200ms or 1.5s',
  malformed: 'fraction of answers in a wrong format, 0 to 1',
  refused: 'fraction of answers that refuse the request',
  empty: 'fraction of answers without text',
  fail: 'requests that contain this text never get a usable answer',
  context: 'maximum tokens of a prompt (four characters each); longer prompts are rejected as by a provider',
  reads:
    'sessions that it reads when it infers, chooses or responds: none, first (mention of the context), last, all',
  judge: 'lenient accepts everything that it matches or judges, harsh rejects everything',
};

/**
 * Parses the options after `simulated:NAME?`. It does not use zod, which takes longer to load than the rest of the command line; every command
 * with a SPEC runs this.
 * @throws Error that names the option, the expected value, and all options
 */
export function parseSimulatedOptions(options: Readonly<Record<string, string>>): SimulatedOptions {
  const problems = Object.entries(options).flatMap(([name, text]) => findOptionProblem(name, text) ?? []);
  if (problems.length > 0) {
    const descriptions = Object.entries(SIMULATED_OPTIONS).map(([name, meaning]) => `  ${name}: ${meaning}`);
    throw new Error(
      `Wrong options of the simulated model: ${problems.join('; ')}. Options, for example simulated:default?latency=200ms&malformed=0.05:\n${descriptions.join('\n')}`,
    );
  }
  const { latency = '0ms', fail, context, reads, judge } = options;
  const fraction = (name: keyof SimulatedOptions) => Number(options[name] ?? 0);
  return {
    latency: Number.parseFloat(latency) * (latency.endsWith('ms') ? 1 : 1000),
    malformed: fraction('malformed'),
    refused: fraction('refused'),
    empty: fraction('empty'),
    ...(fail === undefined ? {} : { fail }),
    ...(context === undefined ? {} : { context: Number(context) }),
    ...omitUndefined({
      reads: READS.find((value) => value === reads),
      judge: JUDGES.find((value) => value === judge),
    }),
  };
}

/** Reports a problem of an option; undefined if there is none. */
function findOptionProblem(name: string, text: string): string | undefined {
  if (!Object.hasOwn(SIMULATED_OPTIONS, name)) return describeUnknown(name);
  const { pattern, expected, words = [] } = FORMS[name] ?? FRACTION;
  return pattern.test(text) ? undefined : `${name}=${text} ${expected}${formatHint(text, words)}`;
}

function describeUnknown(name: string): string {
  return `there is no option ${name}${formatHint(name, Object.keys(SIMULATED_OPTIONS))}`;
}

/** Formats the word that a mistyped one may mean, for the middle of a sentence. */
function formatHint(typedWord: string, words: readonly string[]): string {
  const close = findCloseWord(typedWord, words);
  return close === undefined ? '' : ` (did you mean ${close}?)`;
}

interface OptionForm {
  readonly pattern: RegExp;
  readonly expected: string;
  /** The only values, if there are only some. */
  readonly words?: readonly string[];
}

const FRACTION: OptionForm = {
  pattern: /^(?:0+|0*1(?:\.0+)?|0*\.\d+)$/,
  expected: 'must be a fraction from 0 to 1, for example 0.05',
};

/** Options that are not fractions. */
const FORMS: Readonly<Record<string, OptionForm>> = {
  latency: { pattern: /^\d+(?:\.\d+)?(?:ms|s)$/, expected: 'must be a duration such as 200ms or 1.5s' },
  fail: { pattern: /./s, expected: 'must not be empty' },
  context: { pattern: /^[1-9]\d*$/, expected: 'must be a whole number of tokens, at least 1' },
  reads: { pattern: /^(?:none|first|last|all)$/, expected: 'must be none, first, last or all', words: READS },
  judge: { pattern: /^(?:lenient|harsh)$/, expected: 'must be lenient or harsh', words: JUDGES },
};
