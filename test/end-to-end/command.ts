import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTemporaryFolder } from '../temporary-folder';

/** The built command: `npm test` builds it first. */
export const COMMAND = join(__dirname, '..', '..', 'dist', 'cli', 'main.js');

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Everything it has written to standard error so far. */
  readonly stderr: () => string;
}

/**
 * Starts `cupid` with these arguments, away from any cluster and any key that the tests' own environment names.
 * @param command another build of the command
 */
export function startCupid(
  args: readonly string[],
  environment: Record<string, string> = {},
  command = COMMAND,
): Running {
  return startChecked(skipModelCheck(args), environment, command);
}

/** Turns off the check of the models before a run, because tests count the calls of a run and script their answers. */
export function skipModelCheck(args: readonly string[]): readonly string[] {
  return CHECKING.has(args[0] ?? '') ? [...args, '--no-check'] : args;
}

const CHECKING: ReadonlySet<string> = new Set(['synth', 'eval', 'retry']);

/** Starts `cupid` with the check of the models. */
export function startChecked(
  args: readonly string[],
  environment: Record<string, string> = {},
  command = COMMAND,
): Running {
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...buildBareEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  // Decoded as a whole: a chunk may end in the middle of a character.
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  if (child.pid === undefined) throw new Error('cupid did not start.');
  return { child, pid: child.pid, ended, stderr: () => stderr };
}

export async function runCupid(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  return startCupid(args, environment).ended;
}

/** Computes the SHA-256 of the files whose bytes the same seed and the same answers must give. */
export async function hashDataSets(runFolder: string): Promise<Record<string, string>> {
  return hashFiles(runFolder, [
    'CUPID-Unverified/test.parquet',
    'CUPID-Unverified/test.arrow',
    'CUPID-Raw/test.parquet',
  ]);
}

/** Computes the SHA-256 of files in a folder, by name. */
export async function hashFiles(folder: string, names: readonly string[]): Promise<Record<string, string>> {
  const hashes = names.map(async (name) => {
    const bytes = await readFile(join(folder, name));
    return [name, createHash('sha256').update(bytes).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

// And npm: the command prints how it was called, which must not depend on how the tests were.
const PROVIDER_VARIABLES = /^(?:OPENAI|ANTHROPIC|TOGETHER|GOOGLE|GEMINI|AWS|TEMPORAL|npm)_/;

export function buildBareEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !PROVIDER_VARIABLES.test(name));
  return { ...Object.fromEntries(kept), XDG_STATE_HOME: state };
}

/** The user's state directory: consents that a test gives are not the user's. */
const state = createTemporaryFolder();
