import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { paperNumbers } from '../../../data/paper';
import { builtInPrices, readPrices } from '../../../data/prices';
import { priceOf } from '../../../rules/prices';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cupid-prices-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function fileOf(text: string, name = 'prices.yaml'): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

const PRICES = {
  date: '2025-03-04',
  source: 'a contract',
  usdPerMillionTokens: {
    'openai:gpt-4o': { input: 2.5, output: 10, cachedRead: 1.25 },
    'openai-compatible:mine': { input: 0, output: 0 },
    'module:own.mjs': { input: 1, output: 1 },
    'simulated:default': { input: 1, output: 1 },
  },
};

test('a table is read from YAML, dates without quotes included, and from JSON', async () => {
  const yaml = [
    'date: 2025-03-04',
    'source: a contract',
    'usdPerMillionTokens:',
    '  openai:gpt-4o: { input: 2.5, output: 10, cachedRead: 1.25 }',
    '  openai-compatible:mine: { input: 0, output: 0 }',
    '  module:own.mjs: { input: 1, output: 1 }',
    '  simulated:default: { input: 1, output: 1 }',
  ];
  expect(await readPrices(await fileOf(yaml.join('\n')))).toEqual(PRICES);
  expect(await readPrices(await fileOf(JSON.stringify(PRICES), 'prices.json'))).toEqual(PRICES);
});

test.each([
  ['no price of output', { 'openai:a': { input: 1 } }, /openai:a[^]*output/],
  ['a misspelt field', { 'openai:a': { input: 1, output: 1, cacheRead: 1 } }, /cacheRead/],
  ['a negative price', { 'openai:a': { input: -1, output: 1 } }, /openai:a[^]*input/],
  ['a name without a provider', { 'gpt-4o': { input: 1, output: 1 } }, /names no known provider/],
  [
    'a name with an address',
    { 'openai-compatible:a@http://h/v1': { input: 1, output: 1 } },
    /openai-compatible:a\./,
  ],
  ['a module with its folder', { 'module:./a.mjs': { input: 1, output: 1 } }, /module:a\.mjs/],
  ['a simulated model with options', { 'simulated:a?x=1': { input: 1, output: 1 } }, /simulated:a\./],
])('a table with %s is refused: the file, the field and the form are named', async (_, prices, what) => {
  const file = await fileOf(JSON.stringify({ ...PRICES, usdPerMillionTokens: prices }));
  await expect(readPrices(file)).rejects.toThrow(what);
  await expect(readPrices(file)).rejects.toThrow(
    /prices\.yaml, field [^]*A price table has[^]*usdPerMillionTokens:/,
  );
});

test('a table without its day or its source, or that is no table at all, is refused', async () => {
  await expect(readPrices(await fileOf(JSON.stringify({ ...PRICES, date: 'today' })))).rejects.toThrow(
    /date/,
  );
  await expect(readPrices(await fileOf(JSON.stringify({ ...PRICES, source: '' })))).rejects.toThrow(/source/);
  await expect(readPrices(await fileOf('{ ['))).rejects.toThrow(/neither YAML nor JSON/);
  await expect(readPrices(path.join(folder, 'none.yaml'))).rejects.toThrow(/none\.yaml cannot be read/);
});

test('the built-in table is dated, says where it is from, and prices what the paper synthesized with', () => {
  const prices = builtInPrices();
  expect(prices.source).toMatch(/to be checked/);
  const { evaluator } = paperNumbers();
  for (const spec of [
    evaluator,
    'bedrock:anthropic.claude-3-5-sonnet-20241022-v2:0',
    'together:meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo',
  ]) {
    expect(priceOf(spec, prices)).toBeDefined();
  }
});
