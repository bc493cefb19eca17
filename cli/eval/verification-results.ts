import { join, relative, resolve } from 'node:path';
import type { WrittenVerification } from '../../runs/evaluate/verification-results';
import { VERDICT_NAMES } from '../../rules/verification/summary';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { buildVerificationTable, describeSureness } from '../../runs/tables/verification';
import {
  VERIFICATION_FILES,
  VERIFICATION_FOLDER,
  type VerificationResults,
} from '../../schemas/verification/verification';
import { formatThisCommand } from '../command-line';
import { listPresent } from '../../schemas/text/list-present';
import { quotePath } from '../../schemas/text/shell-text';
import { EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import { printResult } from '../output';
import { getWidth } from '../terminal/width';
import type { ProgressView } from '../run/progress';
import { renderOutputs } from '../terminal/outputs';
import { renderTable } from '../../schemas/text/text-table';

/** Prints the results of a verification. Returns the exit code. */
export function printVerification(
  options: Pick<CarryOutOptions, 'json'>,
  folder: string,
  { results, placement, isOpen, earlierPersonas }: WrittenVerification,
  view: ProgressView,
): number {
  const { withheldFiles, foreignFiles } = placement;
  const report = { folder, ...results, outputs: { foreignFiles, withheldFiles }, calls: view.totals() };
  const formatPath = (file: string) => relative(process.cwd(), join(folder, file));
  printResult(options, report, () => [
    ...renderVerification(results, { earlierPersonas, isOpen, folder: formatPath('.') || '.' }),
    ...renderOutputs(placement, DESCRIPTIONS, formatPath, `repeat the command: ${formatThisCommand()}`),
    ...renderNext(results, formatPath('.') || '.'),
  ]);
  const isUnknown = VERDICT_NAMES.some((name) => results.all.verdicts[name].unknown > 0);
  return isOpen || isUnknown || withheldFiles.length > 0 ? EXIT.withFailures : EXIT.done;
}

const DESCRIPTIONS = {
  [VERIFICATION_FILES.rows]: 'the verdicts on each instance, with their evidence',
  [VERIFICATION_FILES.summary]: 'the totals',
};

function renderVerification(
  results: VerificationResults,
  {
    earlierPersonas,
    isOpen,
    folder,
  }: Pick<WrittenVerification, 'earlierPersonas' | 'isOpen'> & { readonly folder: string },
): string[] {
  const { all, personas, verifier, simulated, data } = results;
  const total = personas.verified < personas.all ? ` of ${formatNumber(personas.all)}` : '';
  const unknownVerdicts = VERDICT_NAMES.map((name) => [name, all.verdicts[name].unknown] as const).filter(
    ([, count]) => count > 0,
  );
  return [
    `Verified by ${verifier}: ${formatCount(all.n_instances, 'instance')} of ${formatCount(personas.verified, 'persona')}${total} in ${data.source}.`,
    ...(earlierPersonas === 0
      ? []
      : [
          `Earlier commands verified ${formatCount(earlierPersonas, 'persona')} of these that this one did not choose. Their verdicts are kept. For results without them, add another --results-dir; it asks the model again.`,
        ]),
    '',
    ...renderTable(buildVerificationTable(results), getWidth()),
    '',
    `Accepted: ${formatNumber(all.accepted)}. Rejected: ${formatNumber(all.rejected)}. Undecided: ${formatNumber(all.undecided)}.`,
    ...(unknownVerdicts.length === 0
      ? []
      : [
          `Unknown: ${unknownVerdicts.map(([name, count]) => `${name} ${formatNumber(count)}`).join(', ')}. The column unknown_causes in ${VERIFICATION_FILES.rows} has the causes. ${isOpen ? 'To continue with what is open, repeat the cupid verify command.' : `Repeat calls without a usable answer: cupid retry ${quotePath(folder)}`}`,
        ]),
    ...describeSureness(results),
    ...(simulated ? ['The data or the verifier is simulated: use these verdicts for testing only.'] : []),
  ];
}

/** Renders the commands that show the evidence, and that keep the accepted instances if there are any. */
function renderNext({ all, data }: VerificationResults, folder: string): string[] {
  const argument = quotePath(data.argument);
  const isInRun = resolve(folder) === resolve(data.argument, VERIFICATION_FOLDER);
  const verified = isInRun ? '--verified' : `--verified ${quotePath(folder)}`;
  return listPresent(
    `Look at the evidence: cupid explore ${argument}${isInRun ? '' : ` ${quotePath(folder)}`}`,
    all.accepted > 0 && `Keep the accepted instances: cupid export ${argument} ${verified} --output-dir DIR`,
  );
}
