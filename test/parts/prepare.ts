import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { listSelectedFiles } from '../longest-first';
import { runInstaller } from './installer';
import { installNodes } from './nodes';
import { MissingPart, type Part, type PartName, type Report } from './part';
import { writeParts } from './prepared';
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

/** Installs the missing parts that the selected test files need, before any test starts. Jest's globalSetup. */
export default async function prepareParts(): Promise<void> {
  const needed = new Set<string>(['temporal', ...listSelectedFiles().flatMap(listNeeded)]);
  const parts: Partial<Record<PartName, Part>> = {};
  await Promise.all(
    ROWS.map(async (names) => {
      for (const name of names) if (needed.has(name)) parts[name] = await prepare(name);
    }),
  );
  writeParts(parts);
}

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
    if (!(error instanceof MissingPart)) throw error;
    return { missing: error.message, command: error.command };
  } finally {
    clearInterval(timer);
  }
}

function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
