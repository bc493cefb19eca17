import type { CommandOptions, RunObserver } from '../../runs/drive/carry-out';
import { formatThisCommand } from '../command-line';
import { EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import { createRunObserver } from './observer';
import type { ProgressView } from './progress';
import { withTelemetry } from './telemetry';

/** Carries a run out, and shows its progress and its result. Returns the exit code. */
export async function showRun<Result>(
  options: CarryOutOptions,
  folder: string,
  view: ProgressView,
  carryOut: (options: CommandOptions, observer: RunObserver) => Promise<Result | 'interrupted'>,
  printResult: (result: Result) => Promise<number>,
): Promise<number> {
  return withTelemetry(options.telemetry, view.say, async (telemetry) => {
    const command = { ...options, telemetry, trustCommand: formatThisCommand('--trust') };
    const result = await carryOut(command, createRunObserver(folder, view));
    if (result === 'interrupted') return EXIT.interrupted;
    view.hide();
    return printResult(result);
  });
}
