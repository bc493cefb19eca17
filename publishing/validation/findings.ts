import type { RowProblem } from '../../data/sets/row-form';
import {
  type Finding,
  type Severity,
  VALIDATION_RULES,
  type ValidationRule,
} from '../../schemas/dataset/validation';

/** A broken rule in a file, before it is known how much it matters. */
export interface Problem extends RowProblem {
  /** As the file counts it: from 1; of JSON lines, the line. */
  readonly row?: number;
  readonly persona_id?: string;
  readonly instance_type?: string;
  /** Known of data of others, and therefore no error in these. */
  readonly known?: boolean;
  /** Strength of a finding that people should look at, 0 to 1. */
  readonly weight?: number;
}

/** Findings of a data set. All are counted; only as many as people read are kept. */
export class Findings {
  errors = 0;
  warnings = 0;
  /** How often each rule is broken, of those that are. */
  readonly counts: Partial<Record<ValidationRule, number>> = {};
  readonly #kept = new Map<ValidationRule, StoredFinding[]>();
  readonly #ofRow = new Map<string, number>();

  constructor(private readonly ours: boolean) {}

  add(file: string, { known = false, weight = 0, ...problem }: Problem): void {
    const { rule } = problem;
    const severity = this.#severityOf(rule, known);
    if (severity === 'error') this.errors += 1;
    else this.warnings += 1;
    const order = this.errors + this.warnings;
    this.counts[rule] = (this.counts[rule] ?? 0) + 1;
    const place = formatPlace(file, problem.row);
    this.#ofRow.set(place, (this.#ofRow.get(place) ?? 0) + 1);
    this.#keep({ finding: { severity, file, ...problem }, weight, order });
  }

  /** Returns the worst findings: errors before warnings, then by the number of findings in the row, by weight, and in order. */
  worst(): Finding[] {
    return [...this.#kept.values()]
      .flatMap((ruleFindings) => ruleFindings.toSorted(compareSeverityThenPlace).slice(0, MOST_OF_A_RULE))
      .toSorted(
        (a, b) =>
          compareSeverity(a, b) ||
          this.#amongRow(b) - this.#amongRow(a) ||
          b.weight - a.weight ||
          a.order - b.order,
      )
      .map(({ finding }) => finding);
  }

  #severityOf(rule: ValidationRule, isKnown: boolean): Severity {
    const kind = VALIDATION_RULES[rule];
    if (kind === 'notice') return 'warning';
    return !this.ours && (isKnown || kind === 'structure') ? 'warning' : 'error';
  }

  #keep(finding: StoredFinding): void {
    const ruleFindings = [...(this.#kept.get(finding.finding.rule) ?? []), finding];
    const full = ruleFindings.length >= 2 * MOST_OF_A_RULE;
    this.#kept.set(
      finding.finding.rule,
      full ? ruleFindings.toSorted(compareSeverityThenPlace).slice(0, MOST_OF_A_RULE) : ruleFindings,
    );
  }

  #amongRow({ finding: { file, row } }: StoredFinding): number {
    return this.#ofRow.get(formatPlace(file, row)) ?? 0;
  }
}

/** More findings of one rule add nothing; the counts include them. */
const MOST_OF_A_RULE = 100;

interface StoredFinding {
  readonly finding: Finding;
  readonly weight: number;
  readonly order: number;
}

function compareSeverityThenPlace(a: StoredFinding, b: StoredFinding): number {
  return compareSeverity(a, b) || b.weight - a.weight || a.order - b.order;
}

function compareSeverity(a: StoredFinding, b: StoredFinding): number {
  return Number(b.finding.severity === 'error') - Number(a.finding.severity === 'error');
}

function formatPlace(file: string, row: number | undefined): string {
  return `${file}\u0000${row ?? ''}`;
}
