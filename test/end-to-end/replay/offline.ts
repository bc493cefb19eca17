import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LoadedCommand } from '../../end-to-end/loaded-command';

export interface EndedOffline {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Lets no connection be made, and no name be looked up. */
const NO_NETWORK = `
const refuse = () => { throw new Error('the network is off'); };
require('node:net').Socket.prototype.connect = refuse;
require('node:dns').lookup = refuse;
`;

/** Has the command carried out by a process that has no network, and nothing in its environment but a path. */
export async function runOffline(scratch: string, ...args: readonly string[]): Promise<EndedOffline> {
  folder = scratch;
  const { code, stdout, stderr } = await offline.run(args, ENVIRONMENT);
  return { code, stdout, stderr };
}

let folder = '';
const offline = new LoadedCommand(() => ({ cwd: folder, execArgv: ['--require', writeHook(folder)] }));

const ENVIRONMENT = { PATH: process.env['PATH'] };

/** Runs Node.js in such a process of its own. */
export async function runNodeOffline(scratch: string, ...args: readonly string[]): Promise<EndedOffline> {
  const child = spawn(process.execPath, ['--require', writeHook(scratch), ...args], {
    cwd: scratch,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, stdout, stderr };
}

function writeHook(scratch: string): string {
  const hook = join(scratch, 'no-network.cjs');
  writeFileSync(hook, NO_NETWORK);
  return hook;
}
