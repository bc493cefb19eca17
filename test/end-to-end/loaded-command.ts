import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { buildBareEnvironment, COMMAND, skipModelCheck, type Ended, type Running } from './command';

/**
 * Runs a command of `cupid` in a process that has the program loaded, because loading it takes more processor time than a small run. One is
 * carried out after the other, and ends as it would by itself.
 */
export async function runLoaded(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  return runLoadedChecked(skipModelCheck(args), environment);
}

/** Runs the command with the check of the models. */
export async function runLoadedChecked(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  return online.run(args, { ...buildBareEnvironment(), ...environment });
}

/** Starts a command as `runLoaded` runs it, beside others. A test may kill its process, which then serves no other command. */
export function startLoaded(args: readonly string[], environment: Record<string, string> = {}): Running {
  return online.start(skipModelCheck(args), { ...buildBareEnvironment(), ...environment });
}

/** Processes that carry out commands, one at a time each; idle ones are left to the test files that the same Jest worker runs later. */
export class LoadedCommand {
  readonly #idle: ChildProcess[];
  readonly #busy = new Set<ChildProcess>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param options of its processes, if it is to have some that no other test file uses; they start with the first command */
  constructor(private readonly options?: () => { readonly cwd?: string; readonly execArgv?: string[] }) {
    this.#idle = options === undefined ? leftProcesses : [];
    afterAll(async () => {
      const own = options === undefined ? [] : this.#idle;
      await Promise.all([...this.#busy, ...own].map(end));
    });
  }

  /** Runs the command once those before have ended. */
  async run(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
    const turn = this.#last.then(() => this.start(args, environment).ended);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  start(args: readonly string[], environment: NodeJS.ProcessEnv): Running {
    const child = this.#idle.pop() ?? this.#fork();
    if (child.pid === undefined) throw new Error('The process that carries out commands did not start.');
    keepAwaiting(child, true);
    this.#busy.add(child);
    const said = { stdout: '', stderr: '' };
    let result: Ended | undefined;
    const ended = new Promise<Ended>((resolve) => {
      const finish = (code: number | null, signal: NodeJS.Signals | null) => {
        child.off('message', hear).off('exit', leave);
        this.#busy.delete(child);
        resolve((result = { code, signal, ...said }));
      };
      const hear = (message: unknown) => {
        const { stdout, stderr, code } = messageSchema.parse(message);
        said.stdout += stdout;
        said.stderr += stderr;
        if (code === undefined) return;
        finish(code, null);
        this.#leave(child);
      };
      // Its last output may still come.
      const leave = (code: number | null, signal: NodeJS.Signals | null) => {
        if (child.connected) child.once('disconnect', () => finish(code, signal));
        else finish(code, signal);
      };
      child.on('message', hear).once('exit', leave);
    });
    child.send({ args, environment });
    return {
      child: {
        kill: (signal) => result === undefined && child.kill(signal),
        get killed() {
          return child.killed;
        },
        get exitCode() {
          return result?.code ?? null;
        },
      },
      pid: child.pid,
      ended,
      stdout: () => said.stdout,
      stderr: () => said.stderr,
    };
  }

  #fork(): ChildProcess {
    return fork(join(__dirname, 'command-process.js'), [COMMAND], {
      ...this.options?.(),
      env: buildBareEnvironment(),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  #leave(child: ChildProcess): void {
    this.#idle.push(child);
    keepAwaiting(child, false);
    // Each takes 400 MB.
    if (this.#idle.length > MOST_IDLE) this.#idle.shift()?.kill('SIGKILL');
  }
}

const MOST_IDLE = 2;

/** Makes this process wait for the other one, or not; both end together. */
function keepAwaiting(child: ChildProcess, awaited: boolean): void {
  for (const handle of [child, child.channel]) {
    if (awaited) handle?.ref();
    else handle?.unref();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Processes of this Jest worker, which `test/node-environment.js` keeps from one test file to the next. */
declare const leftProcesses: ChildProcess[];

const messageSchema = z.object({
  stdout: z.string().default(''),
  stderr: z.string().default(''),
  code: z.number().optional(),
});

const online = new LoadedCommand();
