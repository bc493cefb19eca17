import { checkMachine } from '../../runs/drive/doctor';
import { EXIT } from '../exit';
import { printResult } from '../output';

interface DoctorOptions {
  readonly json?: true;
  readonly profile?: string;
  /** SPECs of models to be called once each. */
  readonly check?: readonly string[];
}

/**
 * Runs `cupid doctor`: checks what a run needs on this machine, and calls the models that `--check` names. Returns the
 * exit code: 1 when no run could start.
 */
export async function runDoctor({ profile, check = [], ...options }: DoctorOptions): Promise<number> {
  const { findings, canStart } = await checkMachine(profile, check);
  printResult(options, findings, () =>
    findings.map(
      ({ name, good, detail, remedy }) =>
        `${good ? 'ok ' : '-- '} ${name}: ${detail}${remedy === undefined ? '' : `\n     ${remedy}`}`,
    ),
  );
  return canStart ? EXIT.done : EXIT.failed;
}
