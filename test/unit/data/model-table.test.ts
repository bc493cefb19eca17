import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readBuiltInTable, readModelTable, buildModelTable } from '../../../data/model-table';
import { readPaperNumbers } from '../../../data/paper';
import { collectFacts } from '../../../engine/model-facts/facts';
import { findPrice } from '../../../engine/costs/prices';
import { createTemporaryFolder } from '../../temporary-folder';

const folder = createTemporaryFolder();

async function fileOf(text: string, name = 'models.yaml'): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

const PRICES = { standard: { input: 2.5, output: 10, cachedRead: 1.25 } };
const ENTRY = { model: 'openai:gpt-4o', checked: '2026-03-04', source: 'a contract', prices: PRICES };

test('a table is read from YAML, dates without quotes included, and from JSON; full names take precedence', async () => {
  const yaml = [
    '- model: openai:gpt-4o',
    '  checked: 2026-03-04',
    '  source: a contract',
    '  prices: { standard: { input: 2.5, output: 10, cachedRead: 1.25 } }',
    '- { model: openai-compatible:mine*, checked: 2026-03-04, source: me, temperature: rejected }',
  ];
  const family = {
    model: 'openai-compatible:mine*',
    checked: '2026-03-04',
    source: 'me',
    temperature: 'rejected',
  };
  expect(await readModelTable(await fileOf(yaml.join('\n')))).toEqual([family, ENTRY]);
  expect(await readModelTable(await fileOf(JSON.stringify([ENTRY]), 'models.json'))).toEqual([ENTRY]);
});

test.each([
  ['no price of output', { prices: { standard: { input: 1 } } }, /prices\.standard\.output/],
  ['a misspelt field', { temprature: 'accepted' }, /temprature/],
  ['a negative price', { prices: { standard: { input: -1, output: 1 } } }, /prices\.standard\.input/],
  ['a name without a provider', { model: 'gpt-4o' }, /names no known provider/],
  ['a name with an address', { model: 'openai-compatible:a@http://h/v1' }, /openai-compatible:a\./],
  ['a module with its folder', { model: 'module:./a.mjs' }, /module:a\.mjs/],
  ['a simulated model with options', { model: 'simulated:a?x=1' }, /simulated:a\./],
  ['no day', { checked: 'today' }, /checked/],
  ['no source', { source: undefined }, /source/],
])('an entry with %s is rejected: the file, the field and the form are named', async (_, wrong, what) => {
  const file = await fileOf(JSON.stringify([{ ...ENTRY, ...wrong }]));
  await expect(readModelTable(file)).rejects.toThrow(what);
  await expect(readModelTable(file)).rejects.toThrow(
    /models\.yaml, field [^]*A model table is a list of entries[^]*- model:/,
  );
});

test('a file that is no table at all is rejected', async () => {
  await expect(readModelTable(await fileOf('date: 2025-01-01'))).rejects.toThrow(/expected a list/);
  await expect(readModelTable(await fileOf('{ ['))).rejects.toThrow(/neither YAML nor JSON/);
  await expect(readModelTable(path.join(folder, 'none.yaml'))).rejects.toThrow(/none\.yaml cannot be read/);
});

test('the built-in table prices what the paper synthesized and judged with', () => {
  const { evaluator } = readPaperNumbers();
  for (const spec of [
    evaluator,
    'bedrock:us.anthropic.claude-3-5-sonnet-20241022-v2:0',
    'together:meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo',
  ]) {
    expect(findPrice(spec, readBuiltInTable())).toBeDefined();
  }
});

test("the user's entries take precedence over the built-in ones, fact by fact", () => {
  const own = { model: 'openai:gpt-4o*', checked: '2026-01-01', source: 'me', temperature: 0.5 };
  const table = buildModelTable({ modelTable: [own] });
  expect(collectFacts('openai:gpt-4o', table)).toMatchObject({ temperature: 0.5, prices: expect.anything() });
});
