import { formatCount, pluralize } from '../../formatting/count-text';
import { COMMAND } from '../exit';
import { renderRetryCommands } from '../repair/retry-lines';
import type { FailedWork } from '../../schemas/run/outcome';
import type { RunFile } from '../../schemas/run/run';

/** The result of a finished run, in lines for a person. @param shown a file of the run's folder as the person can open it */
export function renderResults(
  { counts, simulated }: RunFile,
  failures: readonly FailedWork[],
  shown: (file: string) => string,
): string[] {
  const { personas = 0, instances = 0, failed = 0, leftOut = 0, unsatisfiedDialogues = 0 } = counts ?? {};
  const failing = failed === 0 ? 'no failures' : `${formatCount(failed, 'persona')} failed`;
  return [
    `${formatCount(personas, 'persona')}, ${formatCount(instances, 'instance')}, ${failing}.`,
    ...(leftOut === 0
      ? []
      : [
          `${formatCount(leftOut, 'persona')} ${pluralize(leftOut, 'was', 'were')} left out, because the user was never satisfied in one of its dialogues.`,
        ]),
    ...(unsatisfiedDialogues === 0
      ? []
      : [
          `${formatCount(unsatisfiedDialogues, 'dialogue')} ended without satisfying the user, at the turn limit or because ${pluralize(unsatisfiedDialogues, 'it', 'they')} stalled. ${pluralize(unsatisfiedDialogues, 'It is', 'They are')} kept and marked unsatisfied.`,
        ]),
    `  ${shown('CUPID-Unverified/test.parquet')}  the benchmark instances`,
    `  ${shown('CUPID-Raw/test.parquet')}  personas, context factors, sessions and dialogues`,
    `  ${shown('provenance.parquet')}  the origin of each instance`,
    ...(simulated ? ['A model of this run was simulated: use this data for testing only.'] : []),
    ...failures.map(formatFailure),
    ...(failures.length === 0
      ? []
      : [
          `Show details: ${COMMAND} failures ${shown('.')}`,
          ...renderRetryCommands(failures, shown('.'), ' (add --model SPEC to use another model)'),
        ]),
  ];
}

function formatFailure({ persona, session, step, kind, cause }: FailedWork): string {
  const place = session === undefined ? '' : `, session ${session}`;
  const call = step === undefined ? '' : `, step ${step}`;
  return `Failed: persona ${persona}${place}${call} (${kind}): ${cause}`;
}
