import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lint-rule';

/** Functions that several files have because each file implements the same part, such as a provider. */
const SHARED_FUNCTIONS = ['main', 'open', 'openBatches', 'parseResult', 'readState'];

// A search for a type then finds the one that is meant.
test('every type has a name of its own', () => {
  const repeated = listFilesByName(
    /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm,
  );
  expect(repeated.filter(([, files]) => files.length > 1)).toEqual([]);
});

test('at most two functions have the same name', () => {
  const repeated = listFilesByName(/^(?:export )?(?:default )?(?:async )?function\*? (\w+)/gm);
  const vague = repeated.filter(([name, files]) => files.length > 2 && !SHARED_FUNCTIONS.includes(name));
  expect(vague).toEqual([]);
});

/** Lists the names that begin a declaration at the top of a file, each with the files that declare it. */
function listFilesByName(declaration: RegExp): (readonly [name: string, files: readonly string[]])[] {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => !/^(?:test|bench)\//.test(file));
  const byName = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(declaration)) {
      byName.set(name, (byName.get(name) ?? new Set()).add(file));
    }
  }
  return [...byName].map(([name, names]) => [name, [...names]] as const);
}
