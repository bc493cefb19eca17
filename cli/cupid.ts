import { CommanderError } from 'commander';
import { EXIT, getExitCode } from './exit';
import { printMessage } from './output';
import { buildProgram } from './program';

/** Runs `cupid` with the arguments of this process, and sets its exit code. */
export async function runCupid(): Promise<void> {
  // A closed terminal must not end the run: writes to it may fail.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    process.exitCode = await parse();
  } catch (error) {
    const reason = findFirstReason(error);
    process.exitCode = getExitCode(reason);
    // Commander has printed its own message.
    if (reason instanceof CommanderError) return;
    printMessage(`cupid: ${reason instanceof Error ? reason.message : String(reason)}`);
  }
}

async function parse(): Promise<number> {
  let code: number = EXIT.done;
  await buildProgram((ended) => (code = ended)).parseAsync();
  return code;
}

/** The first error when cleaning up failed as well. */
function findFirstReason(error: unknown): unknown {
  return error instanceof Error && 'suppressed' in error ? findFirstReason(error.suppressed) : error;
}
