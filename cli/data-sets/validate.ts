import { validateData } from '../../publishing/validate';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { quotePath } from '../../schemas/text/shell-text';
import { EXIT } from '../exit';
import { printMessage, printResult } from '../output';
import { getWidth } from '../terminal/width';
import { buildFigureTable, INTERVAL_NOTE } from '../../data/card/figures';
import { describeFinding } from '../../publishing/validation/finding-text';
import type { Finding, ValidatedDataSet, ValidationReport } from '../../schemas/dataset/validation';
import { reportProgress } from '../progress-lines';
import { renderTable } from '../../schemas/text/text-table';
import { wrapText } from '../terminal/wrap';

interface ValidateOptions {
  readonly json?: true;
}

/** Runs 'cupid validate': prints the errors and warnings of a data set, or of a run's data sets. Returns the exit code. */
export async function validate(argument: string, options: ValidateOptions): Promise<number> {
  let reading: { source: string; rows: number } | undefined;
  using _progress = reportProgress(
    () => reading && `Checking ${reading.source}: ${formatCount(reading.rows, 'row')} so far.`,
  );
  const report = await validateData(argument, {
    environment: process.env,
    report: printMessage,
    progress: (source, rows) => (reading = { source, rows }),
  });
  printResult(options, report, () => [
    ...renderValidation(report),
    ...(report.errors === 0 ? [`Look at it: cupid explore ${quotePath(argument)}`] : []),
  ]);
  return report.errors > 0 ? EXIT.withFailures : EXIT.done;
}

/** Renders the broken rules of each data set, with the worst rows of each rule. */
function renderValidation({ dataSets, figures, errors, warnings }: ValidationReport): string[] {
  return [
    ...dataSets.flatMap((dataSet) => [...renderDataSet(dataSet), '']),
    ...renderFigureTable(figures),
    errors === 0
      ? `Valid: ${formatFindingCounts(errors, warnings)}.${warnings === 0 ? '' : ' A person should look at the warnings.'}`
      : `Not valid: ${formatFindingCounts(errors, warnings)}.`,
  ];
}

/** Renders the same table as the card (docs/data-quality.md). Returns nothing if no row can be counted. */
function renderFigureTable(figures: ValidationReport['figures']): string[] {
  // Leakage needs one instance, entropy one record.
  if (figures.leakage === undefined && figures.entropy === undefined) return [];
  return [
    ...renderTable(buildFigureTable(figures), getWidth()),
    ...wrapText(INTERVAL_NOTE, Math.min(100, WIDTH)),
    '',
  ];
}

function renderDataSet(dataSet: ValidatedDataSet): string[] {
  const { kind, source, isGenerated, simulated, rows, personas, errors, warnings } = dataSet;
  const facts = [
    `${formatCount(rows, kind.slice(0, -1))} of ${formatCount(personas, 'persona')}`,
    ...(isGenerated ? ['made by cupid'] : []),
    ...(simulated === true ? ['simulated'] : []),
    formatFindingCounts(errors, warnings),
  ];
  return [source, `  ${facts.join(', ')}`, ...renderRules(dataSet)];
}

/** Enough for a reader; `--json` lists more. */
const MOST_SHOWN = 20;
const MOST_OF_A_RULE = 5;
const WIDTH = Math.min(120, getWidth(120));

function renderRules({ findings, counts }: ValidatedDataSet): string[] {
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  let room = MOST_SHOWN;
  return rules.flatMap((rule) => {
    const ruleFindings = findings.filter((finding) => finding.rule === rule);
    const shownFindings = ruleFindings.slice(0, Math.min(MOST_OF_A_RULE, room));
    room -= shownFindings.length;
    const count = counts[rule] ?? ruleFindings.length;
    const hiddenCount = count - shownFindings.length;
    return [
      '',
      `  ${formatSeverities(ruleFindings)} ${rule} (${formatNumber(count)}):`,
      ...shownFindings.flatMap(renderFinding),
      ...(hiddenCount === 0
        ? []
        : [`    ${shownFindings.length === 0 ? '' : 'and '}${formatNumber(hiddenCount)} more`]),
    ];
  });
}

function formatSeverities(findings: readonly Finding[]): string {
  return [...new Set(findings.map(({ severity }) => severity))].join(' and ');
}

function renderFinding(finding: Finding): string[] {
  const [first = '', ...laterLines] = wrapText(describeFinding(finding), WIDTH, '    ');
  return [first, ...laterLines.map((line) => `  ${line}`)];
}

function formatFindingCounts(errors: number, warnings: number): string {
  return `${errors === 0 ? 'no errors' : formatCount(errors, 'error')}, ${warnings === 0 ? 'no warnings' : formatCount(warnings, 'warning')}`;
}
