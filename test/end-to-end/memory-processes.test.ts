import { setTimeout as wait } from 'node:timers/promises';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { readProcessStart } from '../../data/store/process-start';
import { createTemporaryFolder } from '../temporary-folder';
import type { Running } from './command';
import { endLeftovers, kill, startEval, untilGone, untilRunning, untilSaid, type Process } from './processes';
import { writeInstances } from './results';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');

beforeAll(() => writeInstances(DATA, 1));
afterEach(endLeftovers);

/** A program that starts another one, and never answers nor sees the end of its input. Neither does the other one. */
const DEAF = `
import time
time.sleep(3600)
`;

/** The template of the documentation, which answers. */
const TEMPLATE = readFileSync(resolve('docs/memory/template.py'), 'utf8');

/** Starts a process that nobody ends, and writes down its number, that of its own, and of the process that started it. */
const LEAVES = `
import json, os, subprocess, sys
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], stdin=subprocess.DEVNULL)
facts = {"pids": [os.getppid(), os.getpid(), other.pid], "argv": sys.argv[1:], "environment": dict(os.environ)}
with open(__file__ + ".part", "w") as file:
    json.dump(facts, file)
os.rename(__file__ + ".part", __file__ + ".json")
`;

const factsSchema = z.object({
  pids: z.array(z.number()),
  argv: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
});

const KEYS = { OPENAI_API_KEY: 'sk-of-cupid', HF_TOKEN: 'hf_of_cupid', PINECONE_API_KEY: 'of-the-program' };

test.each<[name: string, program: string, end: (running: Running) => Promise<void>]>([
  ['SIGKILL', DEAF, kill],
  [
    'Ctrl-C twice',
    DEAF,
    async (running) => {
      running.child.kill('SIGINT');
      await untilSaid(running, 'Press Ctrl-C again');
      // Sooner, it would count as the same press.
      await wait(500);
      running.child.kill('SIGINT');
      expect(await running.ended).toMatchObject({ code: 130 });
    },
  ],
  ['the end', TEMPLATE, async (running) => expect(await running.ended).toMatchObject({ code: 0 })],
])('after %s, no process of a memory program is left', async (name, program, end) => {
  const own = inFolder(name.replaceAll(' ', '-'));
  await writeFile(`${own}.py`, `${LEAVES}\n${program}`);
  // A wrapper that stays, as uv and npx do.
  await writeFile(`${own}.sh`, 'python3 "$@"\nexit $?\n');
  const command = `command:sh ${own}.sh ${own}.py --note="a b"`;
  const running = startEval(
    own,
    ['--data', DATA, '--task', 'choice', '--model', 'simulated:default', '--memory', command],
    { ...KEYS, CUPID_MEMORY_KEYS: 'HF_TOKEN' },
  );
  await untilRunning(running, 'its memory started', () => existsSync(`${own}.py.json`));
  const { pids, argv, environment } = factsSchema.parse(JSON.parse(await readFile(`${own}.py.json`, 'utf8')));
  const processes: Process[] = await Promise.all(
    pids.map(async (pid) => ({ pid, started: await readProcessStart(pid) })),
  );
  expect(argv).toEqual(['--note=a b']);
  expect(environment).toMatchObject({ HF_TOKEN: 'hf_of_cupid', PINECONE_API_KEY: 'of-the-program' });
  expect(environment).not.toHaveProperty('OPENAI_API_KEY');
  await end(running);
  // One that has already ended has no start.
  for (const process of processes.filter(({ started }) => started !== '')) await untilGone(process);
});
