import type { ValidationRule } from '../../schemas/dataset/validation';

/** The row of a data set that something is said about. */
export interface Place {
  /** From 1. */
  readonly row: number;
  readonly persona_id: string;
  readonly instance_type?: string;
}

/** A broken rule, before it is known in which file. */
export interface FileFinding extends Place {
  readonly rule: ValidationRule;
  readonly field?: string;
  readonly message: string;
}

/** A broken rule, before it is known in which row. */
export interface RowFinding {
  readonly rule: ValidationRule;
  readonly field: string;
  readonly message: string;
}
