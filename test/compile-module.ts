import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');

/** Compiles a module of the program, with all its imports, for a process of its own. Returns the file to require. */
export function compileModule(source: string): string {
  const folder = join(__dirname, '.compiled');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${source.replaceAll('/', '-')}.cjs`);
  const own = `${file}.${process.pid}`;
  const options = ['--bundle', '--platform=node', '--packages=external', '--log-level=warning'];
  execFileSync(join(ROOT, 'node_modules', '.bin', 'esbuild'), [source, ...options, `--outfile=${own}`], {
    cwd: ROOT,
  });
  renameSync(own, file);
  return file;
}
