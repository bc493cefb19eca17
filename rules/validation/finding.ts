import { formatNames } from '../../schemas/text/value-text';
import type { ValidationRule } from '../../schemas/dataset/validation';
import { groupBy } from '../group-by';

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

/** Merges the findings of one rule about one persona into the first, whose message then lists where else the rule is broken. */
export function mergeFindings(findings: readonly FileFinding[]): FileFinding[] {
  const sorted = findings.toSorted((a, b) => a.row - b.row);
  const groups = groupBy(sorted, ({ persona_id: persona, rule }) => `${rule} ${persona}`);
  return [...groups.values()].flatMap(([first, ...laterFindings]) => {
    if (first === undefined) return [];
    const places = new Set(laterFindings.map(describePlace));
    places.delete(describePlace(first));
    const also = places.size === 0 ? '' : ` The rule is also broken in ${formatNames([...places])}.`;
    return [{ ...first, message: `${first.message}${also}` }];
  });
}

/** Names a field without its row's number, which counts the rows of all files. */
function describePlace({ field = 'the row', instance_type: type }: FileFinding): string {
  return type === undefined ? field : `${field} of the ${type} instance`;
}
