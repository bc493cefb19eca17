import * as fc from 'fast-check';
import { withFrontMatter } from '../../../../data/card/front-matter';
import { readCard } from '../../../../data/card/read';
import { chooseFiles } from '../../../../data/folders/choose';
import { DataError } from '../../../../data/store/data-error';
import { matchPatterns } from '../../../../data/folders/glob';

function cardWith(pattern: string): string {
  return `---\nconfigs:\n- config_name: default\n  data_files: {test: ${JSON.stringify(pattern)}}\n---\n`;
}

describe('file patterns of a card', () => {
  // A matcher that tries one way after the other needs ten seconds or more for each.
  test.each([
    ['*a*a*a*a*b', 'a'.repeat(150)],
    ['**a**a**a**a**ab', 'a'.repeat(150)],
    ['**/**/**/**/**/**/b', `${'a/'.repeat(75)}a`],
    ['?*?*?*?*?*/b', 'a'.repeat(150)],
    ['*[a]*[!b]*[a-z]*[a]*[b]', 'a'.repeat(150)],
    ['['.repeat(255), '['.repeat(150)],
    [`[${'a-'.repeat(120)}`, 'a'.repeat(150)],
  ])('are matched in time that grows with their length: %s', (pattern, name) => {
    const from = process.cpuUsage();
    expect(() => chooseFiles('here', [`${name}.parquet`], readCard(cardWith(pattern)))).toThrow(DataError);
    // Processor time, in microseconds: other tests run at the same time.
    expect(process.cpuUsage(from).user).toBeLessThan(2_000_000);
  });

  test('match as the regular expression that says the same', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', '/', '*', '?', '.', '[a]', '[!a]', '[.-a]'),
      maxLength: 8,
    });
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '['), maxLength: 8 });
    fc.assert(
      fc.property(text, name, (pattern, path) => {
        const source = pattern.replaceAll(/\*\*\/?|\[(?:!?a|\.-a)\]|[*?.]/g, (part) => {
          if (part.length > 2 && part.startsWith('[')) return `(?!/)${part.replace('!', '^')}`;
          if (part === '**/') return '(?:.*/)?';
          if (part === '**') return '.*';
          if (part === '*') return '[^/]*';
          return part === '?' ? '[^/]' : `\\${part}`;
        });
        expect(matchPatterns('README.md', [pattern], [path])).toEqual([
          new RegExp(`^${source}$`).test(path) ? [path] : [],
        ]);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ['test-[0-9]*.parquet', ['test-0.parquet', 'test-10.parquet']],
    ['test-[!0-9].parquet', ['test-a.parquet', 'test-].parquet', 'test-!.parquet']],
    ['test-[]a].parquet', ['test-a.parquet', 'test-].parquet']],
    ['test-[!]a].parquet', ['test-0.parquet', 'test-!.parquet']],
    ['test-[a-].parquet', ['test-a.parquet']],
    ['test-[z-a].parquet', []],
    ['test-[!].parquet', ['test-[!].parquet']],
    ['*/[!a]', ['a/c']],
    ['a[!b]c', []],
    ['more[/]a', []],
  ])('have classes of characters as in Python: %s', (pattern, expected) => {
    const names = ['0', '10', 'a', ']', '!', '[!]'].map((part) => `test-${part}.parquet`);
    expect(matchPatterns('README.md', [pattern], [...names, 'more/a', 'a/c'])).toEqual([expected]);
  });

  test('that are too many or too long are rejected, and paths without wildcards are not', () => {
    const many = Array.from({ length: 101 }, (_, index) => `${index}*`);
    expect(() => matchPatterns('d/README.md', many, [])).toThrow(
      'd/README.md: "configs" has 101 file patterns with "*", "?" or "[", but at most 100 are read.',
    );
    expect(() => matchPatterns('d/README.md', [`*${'a'.repeat(256)}`], [])).toThrow(
      'd/README.md: "configs" has a file pattern of 257 characters ("*aaa',
    );
    const paths = Array.from({ length: 1_000 }, (_, index) => `${index}.parquet`);
    expect(matchPatterns('d/README.md', paths, paths).flat()).toEqual(paths);
  });
});

test('a file whose name claims more parts than can be counted', () => {
  expect(() => chooseFiles('here', ['test-00000-of-99999999999.parquet'], undefined)).toThrow(
    'here: 99,999,999,998 of the 99,999,999,999 parts of test are missing, the first is part 1 (parts are counted from 0).',
  );
});

describe('front matter', () => {
  const anchors = 'abcdefghij'.split('');
  test.each<[string, string]>([
    ['keys that are mappings', '? '.repeat(1_000)],
    ['keys that are lists', `${'? - '.repeat(500)}a`],
    ['deep lists', `a: ${'['.repeat(60_000)}`],
    ['deep mappings', '{a: '.repeat(15_000)],
    ['errors without end', '!a &b '.repeat(10_000)],
    ['many names', Array.from({ length: 5_000 }, (_, index) => `k${index}: 1\n`).join('')],
    [
      'aliases of aliases',
      `a: &a [1,1,1,1,1,1,1,1,1]\n${anchors
        .slice(1)
        .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${anchors[index]}`).join()}]\n`)
        .join('')}`,
    ],
  ])('that is made to take time or memory is read at once: %s', (_what, front) => {
    const card = `---\n${front}\n---\n# Data\n`;
    const from = process.cpuUsage();
    expect(readCard(card).testFiles).toBeUndefined();
    try {
      withFrontMatter(card, { license: 'mit' });
    } catch (error) {
      expect(error).toBeInstanceOf(DataError);
    }
    expect(process.cpuUsage(from).user).toBeLessThan(10_000_000);
  });

  test('that is too long is rejected', () => {
    expect(() => readCard(`---\na: ${'x'.repeat(70_000)}\n---\n`)).toThrow(
      'The front matter of the card (README.md) has 70004 characters, but at most 65536 are read. Shorten it.',
    );
  });
});
