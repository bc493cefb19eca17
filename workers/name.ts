import { hostname } from 'node:os';
import { readProcessStart } from '../data/store/process-start';

/**
 * Names what this process is about to be for a run: no other one ever, on any machine, has the same name; nor has this process
 * when it works for a run once more, since what it spent before is settled by then.
 */
export async function createWorkerName(): Promise<string> {
  // Before anything is awaited: a process may begin to work for two runs at once.
  const number = (names += 1);
  const name = `${hostname()}-${process.pid}-${(await readProcessStart(process.pid)).replaceAll(/\W/g, '')}`;
  return number === 1 ? name : `${name}-${number}`;
}

let names = 0;
