import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Copies the built program and makes its persona workflows begin with a timer. Returns the command of the copy. */
export function changeCode(folder: string): string {
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const bundle = join(folder, 'dist', 'workers', 'workflows.bundle.js');
  const code = readFileSync(bundle, 'utf8');
  const changed = code.replace(
    'async function persona(input) {',
    (start) => `${start} await (0, _workflow.sleep)(1);`,
  );
  if (changed === code) throw new Error('The change to the workflow bundle changes nothing.');
  writeFileSync(bundle, changed);
  return join(folder, 'dist', 'cli', 'main.js');
}
