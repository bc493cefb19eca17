import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as z from 'zod';
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

/** Runs the command with the check of the models. */
export async function runLoadedChecked(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  return online.run(args, { ...buildBareEnvironment(), ...environment });
}

/** A process that carries out commands; it is left to the test files that the same Jest worker runs later. */
export class LoadedCommand {
  #process: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isBusy = false;

  /** @param options of its process, if it is to have one that no other test file uses; it starts with the first command */
  constructor(private readonly options?: () => { readonly cwd?: string; readonly execArgv?: string[] }) {
    afterAll(() => this.#leave());
  }

  async run(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
    const turn = this.#last.then(() => this.#carryOut(args, environment));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #carryOut(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
    const loaded = (this.#process ??= this.#findProcess());
    const answering = new AbortController();
    const answered = once(loaded, 'message', answering);
    const gone = once(loaded, 'exit', answering).then(() => {
      throw new Error(`The process that carries out commands ended at: cupid ${args.join(' ')}`);
    });
    gone.catch(() => undefined);
    this.#isBusy = true;
    loaded.send({ args, environment });
    try {
      const [answer] = await Promise.race([answered, gone]);
      this.#isBusy = false;
      return { signal: null, ...answerSchema.parse(answer) };
    } finally {
      answering.abort();
    }
  }

  #findProcess(): ChildProcess {
    const left = this.options === undefined ? leftProcesses.pop() : undefined;
    if (left === undefined) {
      return fork(join(__dirname, 'command-process.js'), [COMMAND], {
        ...this.options?.(),
        env: buildBareEnvironment(),
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
    }
    left.ref();
    left.channel?.ref();
    return left;
  }

  async #leave(): Promise<void> {
    const left = this.#process;
    if (left === undefined || left.exitCode !== null || left.signalCode !== null) return;
    if (this.options === undefined && !this.#isBusy) {
      leftProcesses.push(left);
      // It ends with this process, which does not wait for it.
      left.unref();
      left.channel?.unref();
      return;
    }
    const gone = once(left, 'exit');
    left.kill('SIGKILL');
    await gone;
  }
}

const online = new LoadedCommand();

/** Processes of this Jest worker, which `test/node-environment.js` keeps from one test file to the next. */
declare const leftProcesses: ChildProcess[];

const answerSchema = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });
