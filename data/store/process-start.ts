import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Reads when a process of this PID namespace began, in the system's own format; empty if there is no such process. PIDs are reused, so only
 * both together identify a process.
 */
export async function readProcessStart(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may hold spaces; after it come the state and, as the 20th field, the start time.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return isDead(fields[0]) ? '' : (fields[19] ?? '');
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
    const [state, ...startWords] = stdout.trim().split(/\s+/);
    return isDead(state) ? '' : startWords.join(' ');
  } catch {
    return '';
  }
}

// Returns whether a process has ended but keeps its number until its parent collects it, which the first process of a container may never
// do.
function isDead(state: string | undefined): boolean {
  return state?.startsWith('Z') === true || state?.startsWith('X') === true;
}
