import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readProcessStart } from '../../../../data/store/process-start';
import { openCommand } from '../../../../models/memory/command';
import { createTemporaryFolder } from '../../../temporary-folder';
import { UNHURRIED } from '../providers/providers';

const folder = createTemporaryFolder();
const { env } = process;
afterEach(() => {
  process.env = env;
});

const send = (line: string, signal = UNHURRIED) =>
  openCommand(line, 'memory:own').send({ type: 'reset', user: 'u1' }, signal);

test('the error of a program that lacks a key of cupid explains how to pass it on', async () => {
  process.env = { ...env, OPENAI_API_KEY: 'sk-of-cupid', HF_TOKEN: 'hf_of_cupid' };
  const script = join(folder, 'key.sh');
  await writeFile(
    script,
    'test -n "$OPENAI_API_KEY" && echo "{}" && exit\necho "Set the OPENAI_API_KEY environment variable." >&2\nexit 1\n',
  );
  await expect(send(`sh ${script}`)).rejects.toThrow(
    'memory:own ended with exit code 1 before its first reply: Set the OPENAI_API_KEY environment variable. cupid does not pass on its own keys: to pass on OPENAI_API_KEY, set CUPID_MEMORY_KEYS=OPENAI_API_KEY.',
  );
  process.env = { ...process.env, CUPID_MEMORY_KEYS: 'OPENAI_API_KEY' };
  expect(await send(`sh ${script}`)).toEqual({ reply: {} });
});

test('a program that is missing is named without the shell', async () => {
  await expect(send('no-such-program-x')).rejects.toThrow(
    /^memory:own could not be started: no-such-program-x: not found\. Check the command of --memory/,
  );
});

test.each([
  ['writes something else', 'echo Loading', (_stop: AbortController) => undefined],
  ['is not waited for any longer', ':', (stop: AbortController) => stop.abort()],
])('what a wrapper started ends with it when it %s', async (_, reply, act) => {
  const name = join(folder, `wrapper-${reply.length}`);
  await writeFile(
    `${name}.sh`,
    `sleep 3600 &\necho $! > ${name}.part && mv ${name}.part ${name}.pid\n${reply}\nwait\n`,
  );
  const stop = new AbortController();
  const sent = expect(send(`sh ${name}.sh`, stop.signal)).rejects.toThrow('memory:own');
  while (!existsSync(`${name}.pid`)) await wait(20);
  const pid = Number(readFileSync(`${name}.pid`, 'utf8'));
  act(stop);
  await sent;
  while ((await readProcessStart(pid)) !== '') await wait(20);
});
