import type { EvaluationPlan } from '../../data/run/evaluation-plan';
import type { Store } from '../../data/store/store';
import type { Todo } from '../../schemas/evaluation/evaluation-run';
import type { StudyKind } from '../../schemas/evaluation/studies';
import type { CommandOptions } from '../drive/carry-out';
import type { StoredEvaluation } from './outcomes';
import type { EvaluationFolder } from './write';

/** An evaluation to start or continue: earlier and wanted plan, and what this command asks. */
export interface EvaluationRequest {
  readonly folder: EvaluationFolder;
  readonly before: EvaluationPlan | undefined;
  readonly plan: EvaluationPlan;
  /**
   * Stores new instances, and the sessions that extend their histories, under the folder's lock. Returns the number of rows; undefined if the data
   * are the stored ones.
   */
  readonly keepInstances?: (store: Store) => Promise<number | undefined>;
  readonly todo: Todo;
  /** SPECs that are called, and those of them on the command line. */
  readonly asked: readonly string[];
  readonly named: readonly string[];
  /** SPECs with calls left to make. */
  readonly called: readonly string[];
  /** Reopens finished work, under the folder's lock. Returns true if there was any, so that the engine starts its workflows again. */
  readonly reopen?: (folder: EvaluationFolder) => Promise<boolean>;
  /** Draws the studies to do, once the trials are done. */
  readonly studies: (store: Store) => Promise<readonly StudyKind[]>;
  readonly compared: readonly StoredEvaluation[];
  readonly options: CommandOptions;
}
