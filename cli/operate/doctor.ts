import { checkMachine, type DoctorFinding } from '../../runs/drive/doctor';
import { EXIT } from '../exit';
import { printResult } from '../output';
import { getWidth } from '../terminal/width';
import { wrapText } from '../terminal/wrap';

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
  printResult(options, findings, () => findings.flatMap(renderFinding));
  return canStart ? EXIT.done : EXIT.failed;
}

function renderFinding({ name, good, detail, remedy }: DoctorFinding): string[] {
  const [first = '', ...furtherLines] = wrapText(`${name}: ${detail}`, getWidth(), MARGIN);
  return [
    `${good ? 'ok ' : '-- '} ${first.trimStart()}`,
    ...furtherLines,
    ...(remedy === undefined ? [] : wrapText(remedy, getWidth(), `${MARGIN} `)),
  ];
}

const MARGIN = ' '.repeat(4);
