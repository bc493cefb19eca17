import type { ValidationRule } from '../../schemas/validation';

/** The row of a data set that something is said about. */
export interface Place {
  /** From 1. */
  readonly row: number;
  readonly persona_id: string;
  readonly instance_type?: string;
}

/** A broken rule, before it is known in which file. */
export interface Found extends Place {
  readonly rule: ValidationRule;
  readonly field?: string;
  readonly message: string;
}

/** A broken rule, before it is known in which row. */
export interface Lapse {
  readonly rule: ValidationRule;
  readonly field: string;
  readonly message: string;
}
