import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { buildBareEnvironment, COMMAND, skipModelCheck, type Ended } from './command';

/**
 * Gives a command of `cupid` to a process that has the program loaded: for every command that no test kills, since one that loads the
 * program again takes about three times the processor time. One is carried out after the other, and ends as it would by itself.
 */
export async function runLoaded(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  return runLoadedChecked(skipModelCheck(args), environment);
}

/** The same, with the check of the models. */
export async function runLoadedChecked(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  return online.run(args, { ...buildBareEnvironment(), ...environment });
}

/** A process that carries out commands until the file's tests are over. */
export class LoadedCommand {
  #process: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param options of its process, which starts with the first command */
  constructor(private readonly options: () => { readonly cwd?: string; readonly execArgv?: string[] }) {
    afterAll(() => this.#end());
  }

  async run(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
    const turn = this.#last.then(() => this.#carryOut(args, environment));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #carryOut(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
    const loaded = (this.#process ??= fork(join(__dirname, 'command-process.js'), [COMMAND], {
      ...this.options(),
      env: buildBareEnvironment(),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }));
    const answering = new AbortController();
    const answered = once(loaded, 'message', answering);
    const gone = once(loaded, 'exit', answering).then(() => {
      throw new Error(`The process that carries out commands ended at: cupid ${args.join(' ')}`);
    });
    gone.catch(() => undefined);
    loaded.send({ args, environment });
    try {
      const [answer] = await Promise.race([answered, gone]);
      return { signal: null, ...answerSchema.parse(answer) };
    } finally {
      answering.abort();
    }
  }

  async #end(): Promise<void> {
    if (this.#process === undefined || this.#process.exitCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await gone;
  }
}

const online = new LoadedCommand(() => ({}));

const answerSchema = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });
