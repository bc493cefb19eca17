import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { listSelectedFiles } from '../longest-first';
import { runInstaller } from './installer';
import { installNodes } from './nodes';
import { MissingPart, type Part, type PartName, type Report } from './part';
import { startParts, writePart } from './prepared';
import { installOldReaders, installPython, installReaders, installValidators } from './readers';
import { installTemporal } from './temporal';

/** Installers of the parts. Scripts install what deploy/, docs/ or bench/ use as well. */
const INSTALLERS: Readonly<Record<PartName, (report: Report) => Promise<string>>> = {
  temporal: installTemporal,
  browser: (report) => runInstaller([process.execPath, 'test/parts/install-browser.mjs'], report),
  storage: (report) => runInstaller(['deploy/install-parts', 'storage'], report),
  cluster: (report) => runInstaller(['deploy/install-parts', 'temporal'], report),
  postgres: (report) => runInstaller(['deploy/install-parts', 'postgres'], report),
  nodes: installNodes,
  python: installPython,
  readers: installReaders,
  'old-readers': installOldReaders,
  validators: installValidators,
};

/** Parts in a row are installed one after the other, because they share a resource: all cores for Go, the browser's package, PyPI, npm. */
const ROWS: readonly (readonly PartName[])[] = [
  ['temporal', 'storage', 'cluster'],
  ['browser'],
  ['nodes'],
  ['python', 'readers', 'old-readers', 'validators'],
  ['postgres'],
];

const UNIT_TESTS = join(__dirname, '..', 'unit', sep);

/**
 * Installs the missing parts that the selected test files need. Jest's globalSetup. Tests begin at once, and wait for what they need, unless
 * Jest may run them in this process, which would wait for itself.
 */
export default async function prepareParts({ maxWorkers }: { readonly maxWorkers: number }): Promise<void> {
  const files = listSelectedFiles();
  const needed = new Set<string>(['temporal', ...files.flatMap(listNeeded)]);
  const rows = ROWS.map((names) => names.filter((name) => needed.has(name)));
  startParts(rows.flat());
  const preparing = Promise.all(
    rows.map(async (names) => {
      for (const name of names) writePart(name, await prepare(name));
    }),
  );
  if (maxWorkers === 1 || files.length <= MOST_IN_ONE_PROCESS) await preparing;
}

/** Jest runs up to so many short test files in its own process. */
const MOST_IN_ONE_PROCESS = 20;

/** Lists the names in a file's calls of `needing`; none for unit tests. */
function listNeeded(file: string): string[] {
  if (file.startsWith(UNIT_TESTS)) return [];
  const calls = readFileSync(file, 'utf8').matchAll(/\bneeding\((?<names>[^)]*)\)/g);
  return [...calls].flatMap(({ groups }) => (groups?.['names'] ?? '').match(/[a-z][a-z-]*/g) ?? []);
}

async function prepare(name: PartName): Promise<Part> {
  const start = performance.now();
  const timer = setInterval(() => {
    writeLine(`Still installing ${name} (${Math.round((performance.now() - start) / 1000)} s).`);
  }, 60_000);
  try {
    return { path: await INSTALLERS[name](writeLine) };
  } catch (error) {
    if (error instanceof MissingPart) return { missing: error.message, command: error.command };
    return { missing: `${name} could not be installed: ${String(error)}`, command: 'npm test' };
  } finally {
    clearInterval(timer);
  }
}

function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
