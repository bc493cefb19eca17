import { COMMAND } from './exit';
import type { FailedWork } from '../schemas/outcome';
import type { RunFile } from '../schemas/run';
import { counted } from './number-text';

/** What a finished run came to, in lines for a person. @param shown a file of the run's folder as the person can open it */
export function resultLines(
  { counts, simulated }: RunFile,
  failures: readonly FailedWork[],
  shown: (file: string) => string,
): string[] {
  const { personas = 0, instances = 0, failed = 0, leftOut = 0, unsatisfiedDialogues = 0 } = counts ?? {};
  const failing = failed === 0 ? 'no failures' : `${counted(failed, 'persona')} failed`;
  return [
    `${counted(personas, 'persona')}, ${counted(instances, 'instance')}, ${failing}.`,
    ...(leftOut === 0
      ? []
      : [`Left out, since a dialogue never satisfied its user: ${counted(leftOut, 'persona')}.`]),
    ...(unsatisfiedDialogues === 0
      ? []
      : [
          `Used up their turns, and are kept, marked unsatisfied: ${counted(unsatisfiedDialogues, 'dialogue')}.`,
        ]),
    `  ${shown('CUPID-Unverified/test.parquet')}  the benchmark instances`,
    `  ${shown('CUPID-Raw/test.parquet')}  personas, context factors, sessions and dialogues`,
    `  ${shown('provenance.parquet')}  where each instance comes from`,
    ...(simulated
      ? ['Simulated: a model of this run was simulated, so these data are for trying out only.']
      : []),
    ...failures.map(failureLine),
    ...(failures.length === 0
      ? []
      : [
          `What was said in it: ${COMMAND} failures ${shown('.')}. Do it over: ${COMMAND} retry ${shown('.')} (with --model, of another model).`,
        ]),
  ];
}

function failureLine({ persona, session, step, kind, cause }: FailedWork): string {
  const place = session === undefined ? '' : `, session ${session}`;
  const asking = step === undefined ? '' : `, step ${step}`;
  return `Failed: persona ${persona}${place}${asking} (${kind}): ${cause}`;
}
