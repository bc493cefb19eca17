#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { CommanderError } from 'commander';
import { EXIT, getExitCode } from './exit';
import { printMessage } from './output';
import { buildProgram } from './program';
import { nameSourcesInStacks } from './stack-traces';

// V8 lets the heap grow to several times what is in use before it collects garbage. With this, a run of 100 personas takes 355 MB instead of
// 581 MB, at no measurable cost (docs/performance.md).
setFlagsFromString('--heap-growing-percent=50');
nameSourcesInStacks();

async function main(): Promise<number> {
  let code: number = EXIT.done;
  await buildProgram((ended) => (code = ended)).parseAsync();
  return code;
}

async function exit(): Promise<void> {
  // A closed terminal must not end the run: writes to it may fail.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    process.exitCode = await main();
  } catch (error) {
    const reason = findFirstReason(error);
    process.exitCode = getExitCode(reason);
    // Commander has printed its own message.
    if (reason instanceof CommanderError) return;
    printMessage(`cupid: ${reason instanceof Error ? reason.message : String(reason)}`);
  }
}

/** The first error when cleaning up failed as well. */
function findFirstReason(error: unknown): unknown {
  return error instanceof Error && 'suppressed' in error ? findFirstReason(error.suppressed) : error;
}

void exit();
