import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { redactUrls } from '../errors/redact';
import { MessageFailure } from './error';
import type { Exchange, MemoryMessage } from './messages';

/**
 * Runs a program that reads a message a line and writes a reply a line. It is started at the first message, and again at the next one after it
 * ended. It ends with this process, which closes its input.
 * @param line the program and its arguments; no shell is used
 * @param name for messages
 */
export function openCommand(
  line: string,
  name: string,
): { readonly exchange: Exchange; readonly end: () => void } {
  let running: Program | undefined;
  let hasReplied = false;
  const exchange: Exchange = async (message, signal) => {
    running ??= startProgram(line, name, () => hasReplied);
    const program = running;
    // A program that does not answer in time would answer the next message with this reply.
    const stop = () => {
      program.kill();
      if (running === program) running = undefined;
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      const reply = await program.send(message);
      hasReplied = true;
      return { reply };
    } catch (error) {
      stop();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  return { exchange, end: () => running?.kill() };
}

interface Program {
  /** Sends a message and waits for its reply. @throws MessageFailure when the program ends before, or writes another thing */
  send(message: MemoryMessage): Promise<unknown>;
  kill(): void;
}

function startProgram(line: string, name: string, hasReplied: () => boolean): Program {
  const [file = '', ...args] = splitArguments(line);
  // Python would keep replies in its buffer, and wait for messages that are sent after them.
  const env = { ...process.env, PYTHONUNBUFFERED: '1' };
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const waiting: { resolve: (reply: unknown) => void; reject: (error: Error) => void }[] = [];
  let ended: Error | undefined;
  let said = '';
  const end = (error: Error) => {
    ended ??= error;
    for (const { reject } of waiting.splice(0)) reject(ended);
  };
  // The program does not keep this process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr])
    if (stream instanceof Socket) stream.unref();
  child.on('error', ({ message }) => {
    end(
      new MessageFailure(
        'failed',
        `${name} could not be started: ${message}. Check the command of --memory; it is run in the current directory, without a shell.`,
      ),
    );
  });
  child.stderr.on('data', (data: Buffer) => (said = `${said}${data.toString()}`.slice(-LONGEST_QUOTE)));
  child.on('close', (code, signal) => {
    const last = said.trim().split('\n').at(-1) ?? '';
    const quote = last === '' ? '.' : `: ${redactUrls(last).replaceAll(`${process.cwd()}/`, './')}`;
    const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    // A program that never replied is not set up; another one is started again.
    end(
      hasReplied()
        ? new MessageFailure('forgotten', `${name} ${how}${quote} It is started again.`)
        : new MessageFailure('failed', `${name} ${how} before its first reply${quote}`),
    );
  });
  // The end of the program says more than that its input is closed.
  child.stdin.on('error', () => undefined);
  readLines(child.stdout, (text) => {
    if (ended !== undefined || text.trim() === '') return;
    const first = waiting.shift();
    const reply = parseReply(text);
    if (first !== undefined && reply !== undefined) return first.resolve(reply);
    // Replies and messages may no longer belong together.
    const stray = describeStrayLine(text, name, first !== undefined);
    first?.reject(stray);
    end(stray);
    child.kill('SIGKILL');
  });
  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(message)}\n`);
      }),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Reads lines that end with a line feed. U+2028, at which Node.js splits too, may be in the text of a reply. */
function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => onLine(rest));
}

/** Parses a reply: an object, or null for one without fields. Undefined for anything else, such as a number that a program prints. */
function parseReply(text: string): object | undefined {
  try {
    const reply: unknown = JSON.parse(text) ?? {};
    return typeof reply === 'object' && !Array.isArray(reply) ? (reply ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

function describeStrayLine(text: string, name: string, isAwaited: boolean): MessageFailure {
  const line = redactUrls(JSON.stringify(text.slice(0, LONGEST_QUOTE)));
  const problem = isAwaited ? 'is no reply, a JSON object' : 'answers no message';
  return new MessageFailure(
    'failed',
    `${name} wrote a line to standard output that ${problem}: ${line}. Write one reply for each message there, and print everything else to standard error.`,
  );
}

const LONGEST_QUOTE = 500;

/** Splits a command line at spaces outside quotes. */
function splitArguments(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}
