import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOccupations, readSeeds, readShippedSeeds } from '../../../data/seeds';
import { DataError } from '../../../data/store/data-error';
import { findOccupation } from '../../../models/simulated/persona';
import { sampleTemplates } from '../../../rules/sampling/templates';
import { NearDuplicates } from '../../../rules/texts/near-duplicates';
import { expectGoldenErrors, type RefusedCall } from '../../golden';
import { createEmptiedFolder } from '../../temporary-folder';

const folder = createEmptiedFolder();

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** Index of the first of the 600 sentences that describe work: duties, tools, colleagues. */
const FIRST_PLAIN = 1_380;

describe('the shipped seeds', () => {
  test('are different sentences without spaces around them', async () => {
    const { source, origin, seeds, duplicates } = await readShippedSeeds();
    expect({ source, origin, duplicates }).toEqual({ source: 'built-in', origin: 'built-in', duplicates: 0 });
    expect(seeds).toHaveLength(1_980);
    expect(seeds.filter((seed) => seed !== seed.trim() || seed.length < 20)).toEqual([]);
  });

  test('have no near-duplicates', async () => {
    const { seeds } = await readShippedSeeds();
    const duplicates = new NearDuplicates<string>();
    for (const seed of seeds) duplicates.add(seed, seed);
    expect(duplicates.end()).toEqual([]);
  });

  test('each name an occupation, and the simulated model knows that of each plain description', async () => {
    const occupations = await readOccupations('built-in');
    expect(new Set(occupations).size).toBe(316);
    const { seeds } = await readShippedSeeds();
    const names = seeds.map((seed) =>
      occupations.filter((name) => new RegExp(`\\b${name}\\b`, 'i').test(seed)),
    );
    expect(seeds.filter((_, row) => names[row]?.length === 0)).toEqual([]);
    expect(occupations.filter((name) => !names.flat().includes(name))).toEqual([]);
    const plain = seeds.slice(FIRST_PLAIN);
    expect(plain.filter((seed) => findOccupation(seed).title === 'professional')).toEqual([]);
  });

  test('of the first 250 personas, at least half are drawn from the plain descriptions of work', async () => {
    const { seeds } = await readShippedSeeds();
    const plain = new Set(seeds.slice(FIRST_PLAIN));
    const occupations = await readOccupations('built-in');
    const drawn = sampleTemplates({ seeds, occupations, count: 250, seed: 42, quality: 'strict' });
    expect(drawn.filter(({ seed }) => plain.has(seed)).length).toBeGreaterThanOrEqual(125);
  });

  test('hold at least 10 sentences for each of the 115 occupations, as a word of its own', async () => {
    const words = await readOccupations('personahub');
    expect(new Set(words).size).toBe(115);
    const { seeds } = await readShippedSeeds();
    const sentences = seeds.map((seed) => new Set(seed.toLowerCase().split(/[^\p{L}]+/u)));
    const tooFew = words.filter((word) => sentences.filter((sentence) => sentence.has(word)).length < 10);
    expect(tooFew).toEqual([]);
  });
});

describe('a text of sentences', () => {
  test('is one sentence a line; spaces, empty lines, a byte order mark and Windows line ends do not matter', async () => {
    const path = await file('mine.txt', '\ufeffA baker.\r\n\r\n  A nurse in Zürich 😀. \r\nA pilot.');
    expect(await readSeeds(path)).toEqual({
      source: path,
      origin: 'file',
      seeds: ['A baker.', 'A nurse in Zürich 😀.', 'A pilot.'],
      duplicates: 0,
    });
  });

  test('keeps the first of repeated sentences and counts the others', async () => {
    const path = await file('mine.txt', 'A baker.\nA nurse.\nA baker.\n A baker.\n');
    expect(await readSeeds(path)).toMatchObject({ seeds: ['A baker.', 'A nurse.'], duplicates: 2 });
  });

  test('is read whole when it is longer than what is read at once', async () => {
    const sentences = Array.from({ length: 20_000 }, (_, number) => `The é${number}th baker of the town.`);
    const path = await file('long.txt', sentences.join('\n'));
    expect((await readSeeds(path)).seeds).toEqual(sentences);
  });
});

describe("PersonaHub's JSON lines", () => {
  test.each(['instruction.jsonl', 'instruction.json', 'instruction', 'instruction.txt'])(
    'are known by their ending or their content: %s',
    async (name) => {
      const rows = [
        { 'input persona': 'A baker\nof bread.', 'synthesized text': 'x', description: 'y' },
        { 'input persona': ' A nurse. ' },
        { 'input persona': 'A nurse.' },
      ];
      const path = await file(name, rows.map((row) => JSON.stringify(row)).join('\n') + '\n');
      expect(await readSeeds(path)).toEqual({
        source: path,
        origin: 'personahub',
        seeds: ['A baker\nof bread.', 'A nurse.'],
        duplicates: 1,
      });
    },
  );
});

const GOOD = '{"input persona": "A baker."}\n';

/** Returns a call that reads a file of this content. */
function refuse(what: string, name: string, content: string | Buffer): RefusedCall {
  return [what, async () => readSeeds(await file(name, content))];
}

test('a file that cannot be used is refused by name, row and field, with the remedy', async () => {
  await expectGoldenErrors('refused-seeds.txt', folder, DataError, [
    refuse('empty', 'seeds.txt', ''),
    refuse('only blank lines', 'seeds.jsonl', ' \n\n'),
    refuse('not JSON', 'seeds.jsonl', `${GOOD}${GOOD}{"input persona": "A nu`),
    refuse('text named JSON lines', 'seeds.jsonl', 'A baker.\n'),
    refuse('another column', 'seeds.jsonl', `${GOOD}{"persona": "A nurse."}`),
    refuse('no object', 'seeds.jsonl', `${GOOD}"A nurse."`),
    refuse('a list', 'seeds.json', '[{"input persona": "A baker."}]'),
    refuse('a number', 'seeds.jsonl', '{"input persona": 7}'),
    refuse('a blank', 'seeds.jsonl', `${GOOD}\n{"input persona": " "}`),
    refuse('null', 'seeds.jsonl', '{"input persona": null}'),
    refuse('half a pair', 'seeds.jsonl', `${GOOD}{"input persona": "A \\ud83d."}`),
    refuse('not UTF-8', 'seeds.txt', Buffer.from('A baker.\nA n\xefve.\n', 'latin1')),
    refuse('a table', 'seeds.csv', 'id,persona\n1,A baker.\n'),
    refuse('a table by another name', 'seeds.txt', '"id","input persona"\n1,"A baker."\n'),
    refuse('a control character', 'seeds.txt', 'A baker.\nA n\0urse.\n'),
    refuse('a control character in JSON', 'seeds.jsonl', `${GOOD}{"input persona": "A \\u0000 nurse."}`),
    refuse('a sentence that would fail its batch', 'seeds.txt', `A baker.\n${'A nurse. '.repeat(22_223)}\n`),
    refuse('compressed', 'seeds.jsonl', Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff])),
    ['missing', () => readSeeds(join(folder, 'none.txt'))],
    ['a folder', () => readSeeds(folder)],
  ]);
});
