import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

type Leader = ChildProcessByStdio<Writable, Readable, Readable>;

/** A program with everything that it starts, such as what is behind `sh -c`, `uv run` or `npx`. */
interface ProcessGroup {
  readonly leader: Leader;
  /** Ends all processes of the group at once. */
  readonly kill: () => void;
}

/**
 * Starts a program as the leader of a process group. The group ends when the program ends, or two seconds after this process has ended in any
 * way. In this time, the program can end by itself, since its input has ended. Ctrl-C in the terminal does not reach it. It does not keep this
 * process alive. Processes that leave the group, as daemons do, are not ended.
 */
export function startProcessGroup(words: readonly string[], environment: NodeJS.ProcessEnv): ProcessGroup {
  const leader = spawn('/bin/sh', ['-c', LEADER, 'sh', ...words], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  if (!hasPipes(leader)) throw new Error('A process was started without pipes.');
  leader.unref();
  for (const stream of leader.stdio) if (stream instanceof Socket) stream.unref();
  let isOver = false;
  const kill = () => {
    // Once it is over, another process may get its number.
    if (isOver || leader.pid === undefined) return;
    try {
      process.kill(-leader.pid, 'SIGKILL');
    } catch {
      // Nobody is left in the group.
    }
  };
  leader.on('exit', () => {
    kill();
    isOver = true;
  });
  return { leader, kill };
}

/**
 * Runs the program in place of the shell, beside a process that waits for the end of descriptor 3. Only cupid holds the other side of it, so it ends
 * with cupid, even after SIGKILL. The subshell ends at once, so the program has no child that it does not know.
 */
const LEADER = `
( { cat <&3; sleep 2; kill -KILL 0; } </dev/null >/dev/null 2>&1 & )
exec 3<&-
exec "$@"`;

function hasPipes(child: ChildProcess): child is Leader {
  return child.stdin !== null && child.stdout !== null && child.stderr !== null;
}
