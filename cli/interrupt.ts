import { EXIT } from './exit';
import { say } from './output';

// A closed terminal (SIGHUP) is no reason to lose answers that are paid for.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Waits for the work, or for the first Ctrl-C (SIGTERM, SIGHUP), which calls `first` and resolves to `interrupted`.
 * After that a second one ends the process at once, with these words.
 */
export async function untilInterrupted<T>(
  work: Promise<T>,
  first: () => void,
  words = 'Stopped at once; the same command goes on from what was answered.',
): Promise<T | 'interrupted'> {
  return new Promise((resolve, reject) => {
    const interrupt = () => {
      for (const signal of SIGNALS) {
        process.off(signal, interrupt);
        process.on(signal, () => {
          say(words);
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
