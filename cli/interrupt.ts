import { EXIT } from './exit';
import { printMessage } from './output';

// A closed terminal (SIGHUP) must not lose answers that are paid for.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
      for (const signal of SIGNALS) {
        process.off(signal, interrupt);
        process.on(signal, () => {
          printMessage(message);
          process.exit(EXIT.interrupted);
        });
      }
      first();
      resolve('interrupted');
    };
    const settled = () => {
      for (const signal of SIGNALS) process.off(signal, interrupt);
    };
    for (const signal of SIGNALS) process.on(signal, interrupt);
    work.finally(settled).then(resolve, reject);
  });
}
