import { isatty } from 'node:tty';
import { EXIT } from './exit';
import { printMessage } from './output';

// On macOS and BSD, `nohup` leaves the input a terminal, so only the outputs show whether there is one.
const HAS_TERMINAL = (process.platform === 'linux' ? [0, 1, 2] : [1, 2]).some((descriptor) =>
  isatty(descriptor),
);

/** Signals that interrupt a command. A closed terminal (SIGHUP) must not lose answers that are paid for. */
const SIGNALS: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  ...(HAS_TERMINAL ? ['SIGHUP' as const] : []),
];

/**
 * Ends the process with the exit code of an interruption at a signal that no part of the command handles. SIGHUP is ignored where no
 * stream is a terminal, as under `nohup`: Node.js resets what `nohup` has set.
 */
export function exitOnInterrupt(): void {
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(EXIT.interrupted);
    });
  }
  if (!HAS_TERMINAL) process.on('SIGHUP', () => undefined);
}

/**
 * Waits for the work, or for the first Ctrl-C (SIGTERM, SIGHUP), which calls `first` and resolves to `interrupted`.
 * A second one ends the process at once, with this message.
 */
export async function waitUntilInterrupted<T>(
  work: Promise<T>,
  first: () => void,
  message = 'Stopped at once. To continue, run the same command again: no answer in the journal is paid for twice.',
): Promise<T | 'interrupted'> {
  return new Promise((resolve, reject) => {
    const interrupt = () => {
      const firstMs = performance.now();
      for (const signal of SIGNALS) {
        process.off(signal, interrupt);
        process.on(signal, () => {
          if (performance.now() - firstMs < SAME_PRESS_MS) return;
          printMessage(message);
          process.exit(EXIT.interrupted);
        });
      }
      first();
      resolve('interrupted');
    };
    const finish = () => {
      for (const signal of SIGNALS) process.off(signal, interrupt);
    };
    for (const signal of SIGNALS) process.on(signal, interrupt);
    work.finally(finish).then(resolve, reject);
  });
}

/**
 * Time for which further signals belong to the first one. npm passes each on to the program that it runs: where its shell is bash, as on macOS,
 * one Ctrl-C under `npx` reaches this process twice.
 */
const SAME_PRESS_MS = 300;
