import type { Readable } from 'node:stream';
import { splitCommandLine } from '../../schemas/model/command-line';
import { endSentence, quoteSafely } from '../errors/redact';
import { MessageFailure } from './error';
import type { MemoryMessage, Transport } from './messages';
import { startProcessGroup } from './process-group';
import { buildProgramEnvironment, PASSED_KEYS } from './program-environment';

/**
 * Runs a program that reads a message a line and writes a reply a line. It is started at the first message, and again at the next one after it
 * ended. It ends with this process, and so does everything that it started.
 * @param line the program and its arguments; no shell is used
 * @param name for messages
 */
export function openCommand(line: string, name: string): Transport {
  let running: Program | undefined;
  let hasReplied = false;
  const send: Transport['send'] = async (message, signal) => {
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
  return { send, end: () => running?.kill() };
}

interface Program {
  /** Sends a message and waits for its reply. @throws MessageFailure when the program ends before, or writes anything else */
  send(message: MemoryMessage): Promise<unknown>;
  kill(): void;
}

function startProgram(line: string, name: string, hasReplied: () => boolean): Program {
  const { variables, withheldKeys } = buildProgramEnvironment(process.env);
  const { leader: child, kill } = startProcessGroup(splitCommandLine(line) ?? [], variables);
  const queue: { resolve: (reply: unknown) => void; reject: (error: Error) => void }[] = [];
  let endError: Error | undefined;
  let errorOutput = '';
  const end = (error: Error) => {
    endError ??= error;
    for (const { reject } of queue.splice(0)) reject(endError);
  };
  child.on('error', ({ message }) => {
    end(createStartError(name, message));
  });
  child.stderr.on('data', (data: Buffer) => {
    errorOutput = `${errorOutput}${data.toString()}`.slice(-LONGEST_OUTPUT);
  });
  child.on('close', (code, signal) => {
    const lastLine = errorOutput.trim().split('\n').at(-1) ?? '';
    const quote =
      lastLine === '' ? '' : `: ${quoteSafely(lastLine, []).replaceAll(`${process.cwd()}/`, './')}`;
    const problem = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    // A program that never replied is not set up; another one is started again.
    if (hasReplied()) {
      const sentence = endSentence(`${name} ${problem}${quote}`);
      end(new MessageFailure('forgotten', `${sentence} It is started again.`));
    } else if (NOT_STARTED.has(code ?? 0)) {
      end(createStartError(name, lastLine.replace(SHELL_PREFIX, '')));
    } else {
      const sentence = endSentence(`${name} ${problem} before its first reply${quote}`);
      const hint = describeWithheld(withheldKeys.filter((key) => errorOutput.includes(key)));
      end(new MessageFailure('failed', `${sentence}${hint}`));
    }
  });
  // The end of the program says more than that its input is closed.
  child.stdin.on('error', () => undefined);
  followLines(child.stdout, (text) => {
    if (endError !== undefined || text.trim() === '') return;
    const first = queue.shift();
    const reply = parseReply(text);
    if (first !== undefined && reply !== undefined) return first.resolve(reply);
    // Replies and messages may no longer belong together.
    const stray = createStrayLineFailure(text, name, first !== undefined);
    first?.reject(stray);
    end(stray);
    kill();
  });
  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        if (endError !== undefined) return reject(endError);
        queue.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(message)}\n`);
      }),
    kill,
  };
}

/** Reads lines that end with a line feed. U+2028, at which Node.js splits too, may be in the text of a reply. */
function followLines(stream: Readable, onLine: (line: string) => void): void {
  let partialLine = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = `${partialLine}${text}`.split('\n');
    partialLine = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => onLine(partialLine));
}

/** Parses a reply: an object, or null for one without fields. Undefined for anything else, such as a number that a program prints. */
function parseReply(text: string): object | undefined {
  try {
    const reply: unknown = JSON.parse(text);
    if (reply === null) return {};
    return typeof reply === 'object' && !Array.isArray(reply) ? reply : undefined;
  } catch {
    return undefined;
  }
}

function createStrayLineFailure(text: string, name: string, isAwaited: boolean): MessageFailure {
  const line = quoteSafely(JSON.stringify(text), []);
  const problem = isAwaited ? 'is not a reply (a JSON object)' : 'replies to no message';
  return new MessageFailure(
    'failed',
    `${name} wrote a line to standard output that ${problem}: ${line}. Write one reply for each message there, and print everything else to standard error.`,
  );
}

/** Maximum characters of standard error that are kept: the end, which says why a program ended. */
const LONGEST_OUTPUT = 500;

/** Exit codes of a shell whose program is missing, or is none. */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
const SHELL_PREFIX = /^\S*sh: (?:line )?\d+: (?:exec: )?/;

function createStartError(name: string, detail: string): MessageFailure {
  return new MessageFailure(
    'failed',
    `${endSentence(`${name} could not be started: ${detail}`)} Check the command of --memory; it is run in the current directory, without a shell.`,
  );
}

/** Explains how to pass on the keys that a program named before it ended, because it did not receive them. */
function describeWithheld(keys: readonly string[]): string {
  return keys.length === 0
    ? ''
    : ` cupid does not pass on its own keys: to pass on ${keys.join(' and ')}, set ${PASSED_KEYS}=${keys.join(',')}.`;
}
