import type { ValidationRule } from '../../../schemas/dataset/validation';
import type { FileFinding } from '../finding';
import type { ReadInstance } from './read-instance';

export interface PersonaFindings {
  readonly found: FileFinding[];
  /** What need not be said of a row that has not as many prior interactions as all others. */
  readonly explainedByCount: FileFinding[];
}

export class CollectedFindings implements PersonaFindings {
  readonly found: FileFinding[] = [];
  readonly explainedByCount: FileFinding[] = [];

  add(rule: ValidationRule, row: ReadInstance, field: string, message: string): void {
    this.found.push({ ...row.place, rule, field, message });
  }

  /** As `add`, unless the row turns out to have too few or too many prior interactions altogether. */
  addUnlessCount(rule: ValidationRule, row: ReadInstance, field: string, message: string): void {
    this.explainedByCount.push({ ...row.place, rule, field, message });
  }

  /** Whether something was found by one of these rules in this row. */
  has(row: ReadInstance, ...rules: readonly ValidationRule[]): boolean {
    return [...this.found, ...this.explainedByCount].some(
      (found) => found.row === row.place.row && rules.includes(found.rule),
    );
  }
}
