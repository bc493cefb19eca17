import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { buildProgram } from '../../cli/program';
import { describeVersion } from '../../cli/version';
import { listFigures } from '../../data/card/figures';
import {
  AUDIT_COLUMNS,
  EVALUATION_COLUMNS,
  PROVENANCE_COLUMNS,
  VERIFICATION_COLUMNS,
} from '../../data/tables/columns';
import { dependencies, devDependencies, name as packageName, version } from '../../package.json';

const ROOT = join(__dirname, '..', '..');
const DOCUMENTS = ['.', 'docs']
  .flatMap((directory) => readdirSync(join(ROOT, directory)).map((name) => join(directory, name)))
  .filter((path) => path.endsWith('.md'));

test.each(DOCUMENTS)('the links of %s lead to files and headings', (document) => {
  const links = [...proseOf(document).matchAll(/\]\((?<path>[^):#]*)(?:#(?<anchor>[^)]*))?\)/g)];
  const broken = links.filter(({ groups: { path = '', anchor = '' } = {} }) => {
    const file = path === '' ? document : join(dirname(document), path);
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== '' && !listAnchors(file).includes(anchor);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test.each(DOCUMENTS)('%s is written in American English', (document) => {
  expect(proseOf(document)).not.toMatch(/labell|judgement/i);
});

test('docs/data-quality.md has the limits of the figures', () => {
  const rows = [
    ...proseOf('docs/data-quality.md').matchAll(/^\| (?<name>[^|]+) \| [^|]+ \| (?<limit>[^|]+) \|$/gm),
  ];
  const documented = new Map(rows.map(({ groups: { name = '', limit = '' } = {} }) => [name, limit]));
  const shown = listFigures({ relevantPositions: {} }).filter(({ limit }) => /\d/.test(limit));
  expect(shown.length).toBeGreaterThan(10);
  const isDocumented = ({ name, limit }: (typeof shown)[number]) =>
    documented.get(name.replace(/ \(.*/, ''))?.startsWith(limit);
  expect(shown.filter((figure) => isDocumented(figure) !== true).map(({ name }) => name)).toEqual([]);
});

test('the pages that messages and comments name exist', () => {
  const named = execFileSync(
    'git',
    ['grep', '-ohE', 'docs/[a-z-]+\\.md', '--', '.', ':!*.md', ':!test', ':!data/models'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  const pages = new Set(named.trim().split('\n'));
  expect(pages.size).toBeGreaterThan(3);
  expect([...pages].filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
});

test.each(['CONTRIBUTING.md', 'docs/architecture.md', 'docs/evidence.md'])(
  'the source files that %s names exist',
  (document) => {
    const text = proseOf(document);
    // A directory alone is checked only as a cell of a table, because elsewhere it may be below another one.
    const directories = text.matchAll(/\| `(?<path>[\w-]+\/)`(?= \|)/g);
    const files = text.matchAll(/`(?<path>\w[\w-]*\/[\w./-]*(?:\/|\.[a-z]+))`/g);
    const paths = [...directories, ...files].map(({ groups }) => groups?.['path'] ?? '');
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  },
);

test.each(DOCUMENTS)('the commands that %s shows exist, with their options', (document) => {
  const { commands } = buildProgram(() => undefined);
  const wrongLines = listShownCommands(document).filter(([name = '', ...words]) => {
    const command = commands.find((candidate) => candidate.name() === name);
    const known = new Set([
      '--help',
      '-h',
      ...(command?.options ?? []).flatMap(({ short, long }) => [short, long]),
    ]);
    return command === undefined
      ? !name.startsWith('-')
      : words.some((word) => word.startsWith('-') && !known.has(word.replace(/=.*/, '')));
  });
  expect(wrongLines.map((words) => words.join(' '))).toEqual([]);
});

test('each promise of docs/evidence.md has a test in the gate', () => {
  const text = readDocument('docs/evidence.md');
  const [, ...rows] = (/\| promise \|[^]*?\n\n/.exec(text)?.[0] ?? '').trim().split('\n').slice(1);
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !/^\| [^|]+ \| `test\/(?:promises|engine|unit)\//.test(row))).toEqual([]);
});

test('docs/dependencies.md has each package that package.json names, with its license', () => {
  const rows = [
    ...readDocument('docs/dependencies.md').matchAll(
      /^\| `(?<name>[^`]+)` \| [^|]+ \| (?<license>[^|]+) \| [\d-]+ \|$/gm,
    ),
  ].map(({ groups: { name = '', license = '' } = {} }) => [name, license]);
  const installed = Object.keys({ ...dependencies, ...devDependencies }).map((name) => {
    const { license } = manifestSchema.parse(JSON.parse(readDocument(`node_modules/${name}/package.json`)));
    return [name, license];
  });
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(installed));
});

const manifestSchema = z.object({ license: z.string() });

// npm ignores the shrinkwrap of a packed file, and the bytes of data sets depend on these packages.
test('package.json fixes the version of each package that is installed with the command', () => {
  expect(Object.values(dependencies).filter((range) => !/^\d/.test(range))).toEqual([]);
});

test.each([
  ['provenance.parquet', PROVENANCE_COLUMNS],
  ['results.parquet', EVALUATION_COLUMNS],
  ['verification.parquet', VERIFICATION_COLUMNS],
  ['audit.parquet', AUDIT_COLUMNS],
] as const)('docs/columns.md has the columns of %s, in their order', (file, { fields }) => {
  const section = readDocument('docs/columns.md')
    .split('\n## ')
    .find((text) => text.startsWith(`\`${file}\``));
  const cells = section?.match(/^\| `[^|]+/gm) ?? [];
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(names).toEqual(fields.map(({ name }) => name));
});

test('the provider and the evaluation step of CONTRIBUTING.md apply to what is here, and touch at most five and three files', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const changes = [...text.matchAll(/^```diff\n(?<diff>[^]*?)^```$/gm)].map(
    ({ groups }) => groups?.['diff'] ?? '',
  );
  for (const change of changes) {
    // Throws if a line of the diff has changed since.
    execFileSync('git', ['apply', '--check', '-'], {
      cwd: ROOT,
      input: change,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
  }
  expect(changes.map((change) => change.match(/^\+\+\+ b\//gm)?.length)).toEqual([5, 3]);
});

test('the command, the citation, the changelog and the locked packages name the version of the package', () => {
  expect(describeVersion()).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')} \\(`));
  expect(readDocument('CITATION.cff')).toContain(`\nversion: ${version}\n`);
  const [released = version] = /(?<=^## \[)\d[^\]]*/m.exec(readDocument('CHANGELOG.md')) ?? [];
  expect(released).toBe(version);
  const { name, packages } = lockSchema.parse(JSON.parse(readDocument('npm-shrinkwrap.json')));
  expect([name, packages['']]).toEqual([packageName, expect.objectContaining({ name, version })]);
});

const lockSchema = z.object({ name: z.string(), packages: z.record(z.string(), z.unknown()) });

function readDocument(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

/** Returns a document without its code blocks, which contain examples. */
function proseOf(document: string): string {
  return readDocument(document).replaceAll(/^```[^]*?^```$/gm, '');
}

/** Lists the words of each command `npx cupid …` of a document, in blocks and within sentences. */
function listShownCommands(document: string): string[][] {
  const text = readDocument(document).replaceAll(/\\\n\s*/g, ' ');
  const blocks = [...text.matchAll(/^```(?:bash|sh)?\n(?<block>[^]*?)^```$/gm)].flatMap(({ groups }) =>
    (groups?.['block'] ?? '').split('\n'),
  );
  const spans = [...proseOf(document).matchAll(/`(?<span>[^`]+)`/g)].map(
    ({ groups }) => groups?.['span'] ?? '',
  );
  return [...blocks, ...spans].flatMap((line) =>
    line
      .replace(/\s#.*/, '')
      .split(/&&|[|;]\s/)
      .flatMap((part) => {
        const [, words] = /(?:^|\s)(?:npx )?cupid (?<words>[a-z].*)/.exec(part.trim()) ?? [];
        return words === undefined || !/^\s*(?:[A-Z_]+=\S+ |nohup )*(?:npx )?cupid /.test(part)
          ? []
          : [words.split(/\s+/)];
      }),
  );
}

/** Lists the anchors that GitHub gives the headings of a document. */
function listAnchors(document: string): string[] {
  return [...proseOf(document).matchAll(/^#+ (?<heading>.*)$/gm)].map(({ groups }) =>
    (groups?.['heading'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
