import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { InputError } from '../../schemas/input-error';
import { readSynthesisSettings } from '../../runs/synthesize/settings';
import { readPersonas } from '../../data/personas';
import { readSeeds } from '../../data/seeds';
import { DataError } from '../../data/store/data-error';
import { loadPromptPack, PromptPackError } from '../../data/prompts/load';
import { readMatcherExamples } from '../../data/prompts/matcher-examples-file';
import { createTemporaryFolder } from '../temporary-folder';

const folder = createTemporaryFolder();

beforeAll(async () => {
  await mkdir(join(folder, 'synthesis'));
  await mkdir(join(folder, 'evaluation'));
});

/** Bytes, texts, and fragments with a meaning for one of the readers, in any order. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary', maxLength: 300 }).map((text) => Buffer.from(text)),
  fc
    .array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        '"',
        '\n',
        '\r\n',
        '\0',
        '\t',
        ' ',
        '- ',
        '? ',
        '&a ',
        '*a',
        '<<: ',
        '!!js/function ',
        '|-\n',
        'input persona',
        'persona',
        'A baker.',
        'steps',
        'describe',
        'maxRepairs',
        'maxTokens',
        'stallTurns',
        '1',
        '-1',
        '1e999',
        'null',
        'system_prompt',
        'user_prompt',
        '{preferences}',
        '{{',
        '{user_persona',
        '__proto__',
        '\ufeff',
        '\u{1F600}',
        '\u202e',
        '['.repeat(3_000),
        '{"a":'.repeat(3_000),
      ),
      { maxLength: 40 },
    )
    .map((pieces) => Buffer.from(pieces.join(''))),
);

/** Reads it, or rejects it quickly, with a message for the user and without a stack trace. */
async function expectAnswered(
  read: () => Promise<unknown>,
  refusal: new (...args: never[]) => Error,
): Promise<void> {
  const from = process.cpuUsage();
  try {
    await read();
  } catch (error) {
    expect(error).toBeInstanceOf(refusal);
    const message = error instanceof Error ? error.message : '';
    expect(message).not.toMatch(/^\s+at |node_modules|Maximum call stack|\[object Object\]/m);
    expect(message.length).toBeLessThan(10_000);
  }
  // Processor time, in microseconds, because other tests run at the same time.
  expect(process.cpuUsage(from).user).toBeLessThan(5_000_000);
}

test('seeds, whatever they are, are read or refused by name', async () => {
  await fc.assert(
    fc.asyncProperty(content, fc.constantFrom('seeds.txt', 'seeds.jsonl', 'seeds'), async (bytes, name) => {
      const file = join(folder, name);
      await writeFile(file, bytes);
      await expectAnswered(() => readSeeds(file), DataError);
    }),
    { numRuns: 300 },
  );
});

test('personas, whatever they are, are read or refused by name', async () => {
  const names = fc.constantFrom('people.jsonl', 'people.csv', 'people.parquet', 'people.arrow', 'people');
  await fc.assert(
    fc.asyncProperty(content, names, async (bytes, name) => {
      const file = join(folder, name);
      await writeFile(file, bytes);
      await expectAnswered(() => readPersonas(file), DataError);
    }),
    { numRuns: 300 },
  );
});

test('settings and taxonomies, whatever they are, are read or refused by name', async () => {
  const file = join(folder, 'settings.yaml');
  const options = { outputDir: 'out', model: 'simulated:default', nPersonas: 4, nFactors: 8, nSessions: 13 };
  await fc.assert(
    fc.asyncProperty(content, async (bytes) => {
      await writeFile(file, bytes);
      const given = { ...options, maxTurns: 16, seed: 42, concurrency: 8, check: true };
      await expectAnswered(() => readSynthesisSettings({ ...given, settings: file }), InputError);
      await expectAnswered(() => readSynthesisSettings({ ...given, taxonomy: file }), InputError);
    }),
    { numRuns: 300 },
  );
});

test('a prompt, whatever it is, is read or refused by name', async () => {
  await fc.assert(
    fc.asyncProperty(content, async (bytes) => {
      await writeFile(join(folder, 'synthesis', 'preference_decomposer.yaml'), bytes);
      await expectAnswered(
        () => loadPromptPack(folder, ['synthesis/preference_decomposer']),
        PromptPackError,
      );
    }),
    { numRuns: 300 },
  );
});

/** Valid examples with some parts replaced. */
const nearlyExamples = fc
  .array(
    orAnything({
      preference: fc.string(),
      checklist: fc.array(
        orAnything({
          entry: fc.string(),
          label: fc.constantFrom('Fully Covered', 'Partially Covered', 'Not Covered', 'fully covered'),
        }),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 4 },
  )
  .map((examples) => Buffer.from(JSON.stringify(examples)));

function orAnything(parts: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> {
  const members = Object.entries(parts).map(([name, part]) => {
    const value = fc.oneof({ weight: 5, arbitrary: part }, { weight: 1, arbitrary: fc.jsonValue() });
    return [name, value] as const;
  });
  return fc.oneof(
    { weight: 5, arbitrary: fc.record(Object.fromEntries(members), { noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.record(Object.fromEntries(members), { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

const examplesFile = () => join(folder, 'evaluation', 'preference_matcher_examples.json');

async function readExamples(): Promise<void> {
  const { examples, problems } = await readMatcherExamples([folder]);
  if (problems.length > 0) throw new PromptPackError(folder, problems);
  expect(examples?.length).toBeGreaterThan(0);
}

test("the matcher's examples, whatever they are, are read or refused by name", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(content, nearlyExamples), async (bytes) => {
      await writeFile(examplesFile(), bytes);
      await expectAnswered(readExamples, PromptPackError);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['many bad examples', 50_000],
  ['more than is read', 1_000_000],
])("the matcher's examples are refused in few words: %s", async (_what, count) => {
  await writeFile(examplesFile(), `[${'1,'.repeat(count)}1]`);
  await expectAnswered(readExamples, PromptPackError);
  await expect(readExamples()).rejects.toThrow(PromptPackError);
});
