import type { PersonaOptions } from '../../data/sets/persona-filter';
import type { InstanceType } from '../../schemas/dataset/instance-type';
import type { ContextForm, HistoryTier } from '../../schemas/evaluation/context';
import type { Task } from '../../schemas/evaluation/evaluation';

/** Options of an evaluation for its cells, studies and settings. */
export interface EvaluationOptions extends PersonaOptions {
  readonly resultsDir: string;
  readonly model?: readonly string[];
  readonly evaluator?: readonly string[];
  readonly decomposer?: string;
  readonly task?: Task | 'both';
  readonly useMatcher?: true;
  readonly matcher?: string;
  readonly context?: readonly ContextForm[];
  /** Lengths of the history: the data's own, and those to which it is extended. */
  readonly history?: readonly ('own' | HistoryTier)[];
  /** How the memory system is reached, without `memory:` before it. */
  readonly memory?: string;
  readonly memoryBudget?: number;
  /** Maximum milliseconds for one message to it. */
  readonly memoryTimeout?: number;
  readonly oraclePreference?: true;
  readonly limit?: number;
  readonly types?: readonly InstanceType[];
  readonly errors?: number;
  readonly judgeRepeats?: number;
  /** Path of a file, like `settings`. */
  readonly labels?: string;
  readonly stress?: number;
  readonly misapplication?: true;
  readonly referenceCompatible?: true;
  readonly rescore?: true;
  readonly seed?: number;
  /** Path of a folder. */
  readonly prompts?: string;
  readonly settings?: string;
}
