import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { buildBareEnvironment, COMMAND, skipModelCheck, type Ended } from './command';

/**
 * Gives a command of `cupid` to a process that has the program loaded: for the many that refuse, report or steer, which take a second each
 * when every one loads it again. One is carried out after the other, and ends as it would by itself.
 */
export async function runLoaded(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const turn = last.then(() => carriedOut(args, environment));
  last = turn.catch(() => undefined);
  return turn;
}

let last: Promise<unknown> = Promise.resolve();

async function carriedOut(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  loaded ??= spawn(process.execPath, [join(__dirname, 'command-process.js'), COMMAND], {
    env: buildBareEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const answering = new AbortController();
  const answered = once(loaded, 'message', answering);
  const gone = once(loaded, 'exit', answering).then(() => {
    throw new Error(`The process that carries out commands ended at: cupid ${args.join(' ')}`);
  });
  gone.catch(() => undefined);
  loaded.send({ args: skipModelCheck(args), environment: { ...buildBareEnvironment(), ...environment } });
  try {
    const [answer] = await Promise.race([answered, gone]);
    return { signal: null, ...answerSchema.parse(answer) };
  } finally {
    answering.abort();
  }
}

let loaded: ChildProcess | undefined;

const answerSchema = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

afterAll(async () => {
  if (loaded === undefined || loaded.exitCode !== null) return;
  const gone = once(loaded, 'exit');
  loaded.kill('SIGKILL');
  await gone;
});
