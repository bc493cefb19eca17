/**
 * Measures the share of each step's input that is in a provider's prompt cache. A server on this machine answers like the simulated model. It
 * caches exact prefixes from 1,024 tokens on, counted with o200k_base, and never drops one. Three kinds of caches:
 *
 * - automatic: any prefix in steps of 128 tokens (OpenAI before GPT-5.6);
 * - marked: only prefixes that end at a mark are written and read (OpenAI from GPT-5.6 on, Anthropic, Claude on Bedrock).
 *
 * OpenAI has many machines with a cache each, and chooses one by prompt_cache_key. One machine is the best case, one for each key the worst; the
 * real number is unknown.
 *
 * Simulated texts are shorter than those of real models, so the instructions weigh more here than in a real run.
 *
 *   npm run build && node bench/caching.mjs [--personas N] [--history 32k|128k] [--prompts FOLDER]
 *
 * --personas  of the synthesis (default: 12; 32k tokens need 24, 128k some 60)
 * --history   length of the histories of the evaluation, which is then by choice (default: own, both tasks)
 * --prompts   another prompt pack
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTypeScript } from './shared/load-typescript.mjs';
import { readOptions } from './shared/options.mjs';
import { ROOT } from './shared/processes.mjs';

const { personas, history, prompts } = readOptions({ personas: 12, history: 'own', prompts: '' });
const command = join(ROOT, 'dist', 'cli', 'main.js');
const { startStandIn } = loadTypeScript(join('test', 'stand-in', 'chat-server.ts'));
const { PrefixCache } = loadTypeScript(join('test', 'stand-in', 'prefix-cache.ts'));

const KINDS = [
  ['automatic, one machine', 'openai:gpt-4o-2024-11-20', 1],
  ['automatic, 16 machines', 'openai:gpt-4o-2024-11-20', 16],
  ['automatic, a machine for each key', 'openai:gpt-4o-2024-11-20', 2 ** 40],
  ['marked, one machine', 'openai:gpt-6-luna', 1],
];

for (const [kind, spec, machines] of KINDS) {
  const folder = mkdtempSync(join(tmpdir(), 'cupid-bench-'));
  const standIn = await startStandIn({
    latency: 50,
    cache: new PrefixCache(machines),
    prompts: prompts || undefined,
  });
  const run = (...options) =>
    cupid(standIn.url, [...options, `--model=${spec}`, ...(prompts === '' ? [] : [`--prompts=${prompts}`])]);
  await run('synth', `--output-dir=${join(folder, 'run')}`, `--n-personas=${personas}`);
  await run(
    'eval',
    `--data=${join(folder, 'run')}`,
    `--results-dir=${join(folder, 'results')}`,
    ...(history === 'own'
      ? ['--task=both', `--evaluator=${spec}`]
      : ['--task=choice', `--history=${history}`]),
  );
  await standIn.goDown();
  rmSync(folder, { recursive: true, force: true });
  print(kind, standIn.received);
}

function print(kind, received) {
  const steps = new Map();
  for (const request of received) {
    if (request.cache !== undefined) steps.set(request.step, [...(steps.get(request.step) ?? []), request]);
  }
  console.log(`\n${kind}; ${personas} personas, history ${history}\n`);
  console.log(
    '| step | calls | tokens in | mean | read | written |\n| --- | ---: | ---: | ---: | ---: | ---: |',
  );
  for (const [step, requests] of steps) console.log(`| ${row(step, requests)} |`);
  const both = [...(steps.get('infer') ?? []), ...(steps.get('respond') ?? [])];
  if (both.length > 0) console.log(`| ${row('infer and respond', both)} |`);
}

function row(name, requests) {
  const sum = (field) => requests.reduce((total, { cache }) => total + cache[field], 0);
  const input = sum('input');
  const share = (tokens) => `${((100 * tokens) / input).toFixed(1)} %`;
  const mean = Math.round(input / requests.length);
  return [name, requests.length, input, mean, share(sum('read')), share(sum('written'))].join(' | ');
}

async function cupid(url, options) {
  const child = spawn(process.execPath, [command, ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, OPENAI_API_KEY: 'sk-bench', OPENAI_BASE_URL: url },
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  // Code 3: a simulated answer could not be used; all other calls count.
  if (code !== 0 && code !== 3) throw new Error(`${options[0]} ended with ${code}`);
}
