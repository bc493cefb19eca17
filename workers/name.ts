import { hostname } from 'node:os';
import { startOf } from '../data/lock';

/** Names this process: no other one ever, on any machine, has the same name. */
export async function workerName(): Promise<string> {
  return `${hostname()}-${process.pid}-${(await startOf(process.pid)).replaceAll(/\W/g, '')}`;
}
