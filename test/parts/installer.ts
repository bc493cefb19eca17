import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { MissingPart, type Report } from './part';

const ROOT = join(__dirname, '..', '..');
const COMMAND = /^To fix this, run: (.*)$/;

/**
 * Runs a script of this repository that installs a part and prints its path.
 * @throws MissingPart with the last two lines of its messages: the reason, and the command that helps
 */
export async function runInstaller(script: readonly [string, ...string[]], report: Report): Promise<string> {
  const [program, ...args] = script;
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = text(child.stdout);
  const closed = once(child, 'close');
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    report(line);
  }
  const [code] = await closed;
  if (code === 0) return (await output).trim();
  const [reason = '', remedy = ''] = lines.slice(-2);
  const command = COMMAND.exec(remedy)?.[1];
  if (command !== undefined) throw new MissingPart(reason, command);
  throw new MissingPart(
    `${script.join(' ')} failed: ${lines.at(-1) ?? `exit code ${code}`}`,
    script.join(' '),
  );
}
