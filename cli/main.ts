#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { findExceededLimit } from '../data/store/machine-limits';
import { runCommandLine } from './command';
import { formatError } from './error-text';
import { EXIT } from './exit';
import { exitOnInterrupt } from './interrupt';
import { printMessage } from './output';
import { nameSourcesInStacks } from './stack-traces';

/**
 * V8's flags by major version of Node.js. Another version gets none, because V8 prints an error for a flag that it does not know.
 *
 * V8 lets the heap grow to several times what is in use before it collects garbage: with the first flag, a run of 100 personas takes 355 MB
 * instead of 581 MB. It also optimizes early, in threads of its own, and most commands end before that pays off. Done later, a run takes 5 to
 * 18 % less processor time.
 */
const OPTIMIZE_LATER = ['--invocation-count-for-maglev=6000', '--invocation-count-for-turbofan=45000'];
const V8_FLAGS: Readonly<Record<string, readonly string[]>> = {
  20: ['--heap-growing-percent=50', '--interrupt-budget=1000000'],
  22: ['--heap-growing-percent=50', ...OPTIMIZE_LATER],
  24: ['--heap-growing-percent=50', ...OPTIMIZE_LATER],
  26: ['--heap-growing-percent=50', ...OPTIMIZE_LATER],
};
const [release = ''] = process.versions.node.split('.');
for (const flag of V8_FLAGS[release] ?? []) setFlagsFromString(flag);

nameSourcesInStacks();
exitOnInterrupt();

async function main(): Promise<void> {
  // A closed terminal, or a full disk for its log, must not end a run: writes may fail.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (CLOSED.has(code)) return;
    isUnwritten = true;
    process.exitCode ||= EXIT.failed;
  });
  // Node.js loads its HTTP parser, which is WebAssembly, outside any call of ours.
  process.on('uncaughtExceptionMonitor', (error) => {
    const limit = findExceededLimit(error);
    if (limit === undefined) return;
    printMessage(formatError(limit.message));
    process.exit(EXIT.failed);
  });
  const exitCode = await runCommandLine(process.argv);
  process.exitCode = exitCode === EXIT.done && isUnwritten ? EXIT.failed : exitCode;
  // A library may leave a thread running, as Temporal's SDK does when a worker cannot be created.
  const ending = setTimeout(() => process.exit(), ENDING_MS).unref();
  process.once('beforeExit', () => clearTimeout(ending));
}

/** Whether results could not be written to standard output, as on a full disk. */
let isUnwritten = false;

/** Errors of a stream whose reader is gone. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO', 'EBADF', 'ERR_STREAM_DESTROYED']);

/** Time after which a command ends that has done its work, whatever still runs in its process. */
const ENDING_MS = 5_000;

void main();
