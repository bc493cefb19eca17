import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import * as z from 'zod';

/** How a command or a piece of code ended, with everything that it printed. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** A command that goes on after its first lines, such as one that serves a page. */
export interface OpenCommand {
  /** Presses Ctrl-C. Returns how the command ended. */
  readonly interrupt: () => Promise<Outcome>;
}

/** A shell and Python for one page. The shell keeps its directory and exported variables between commands, and Python its names. */
export class PageSession implements AsyncDisposable {
  readonly #processes = new Set<ChildProcess>();
  #python: ReturnType<typeof startPython> | undefined;

  /** @param python of the blocks of Python */
  constructor(
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly python: string,
  ) {}

  /** Runs a command until it ends. */
  async run(command: string): Promise<Outcome> {
    return this.#spawn(command).ended;
  }

  /**
   * Starts a command, and resolves once it has printed this and, if the pattern has a group `url`, answers there. Returns how it ended if it
   * ends before.
   */
  async open(command: string, firstWords: RegExp): Promise<OpenCommand | Outcome> {
    const { child, ended, output } = this.#spawn(command);
    const printed = new Promise<RegExpExecArray>((resolve) => {
      const look = () => {
        const match = firstWords.exec(output());
        if (match !== null) resolve(match);
      };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
    });
    const untilReady = async () => {
      const { groups } = await printed;
      if (groups?.['url'] !== undefined) await fetch(groups['url']);
      return undefined;
    };
    const early = await Promise.race([untilReady(), ended]);
    const interrupt = async () => {
      sendToGroup(child, 'SIGINT');
      return ended;
    };
    return early ?? { interrupt };
  }

  /** Runs a block of Python. Its exit code is 1 if it raised an error. */
  async runPython(code: string): Promise<Outcome> {
    this.#python ??= startPython(this.python, this.folder, this.environment);
    return this.#python.run(code);
  }

  /** Ends what is left, as a closed terminal would not: at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#python?.end();
    for (const child of this.#processes) sendToGroup(child, 'SIGKILL');
  }

  #spawn(command: string) {
    const state = join(this.folder, '.page-shell');
    const script = `[ ! -f ${state} ] || . ${state}\n${command}\ncode=$?\n{ export -p; echo "cd '$PWD'"; } > ${state}\nexit $code`;
    // A process group of its own, which Ctrl-C reaches as a whole.
    const child = spawn('bash', ['-c', script], {
      cwd: this.folder,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#processes.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const ended = once(child, 'close').then(([code]): Outcome => {
      this.#processes.delete(child);
      return { code, output };
    });
    return { child, ended, output: () => output };
  }
}

function sendToGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
}

/** Runs each line of its input, a text in JSON, as code with the names of the earlier ones. Replies with the error on descriptor 3. */
const INTERPRETER = `
import json, os, sys, traceback
replies = os.fdopen(3, "w", buffering=1)
names = {"__name__": "__main__"}
for line in sys.stdin:
    try:
        exec(compile(json.loads(line), "page", "exec"), names)
        error = None
    except Exception:
        error = traceback.format_exc()
    replies.write(json.dumps(error) + "\\n")
`;

function startPython(python: string, folder: string, environment: NodeJS.ProcessEnv) {
  const child = spawn(python, ['-c', INTERPRETER], {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  // Nothing reads what it prints; a full pipe would stop it.
  child.stdout.resume();
  child.stderr.resume();
  const [, , , replies] = child.stdio;
  if (!(replies instanceof Readable)) throw new Error('Python has no descriptor for its replies.');
  const lines = createInterface(replies)[Symbol.asyncIterator]();
  return {
    run: async (code: string): Promise<Outcome> => {
      child.stdin.write(`${JSON.stringify(code)}\n`);
      const { value, done } = await lines.next();
      if (done === true) return { code: child.exitCode, output: 'Python ended.' };
      const error = z.string().nullable().parse(JSON.parse(value));
      return error === null ? { code: 0, output: '' } : { code: 1, output: error };
    },
    end: () => child.kill('SIGKILL'),
  };
}
