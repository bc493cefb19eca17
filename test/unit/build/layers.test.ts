import { execFileSync } from 'node:child_process';
import { lintNode, type LintRule, ROOT } from './lint-rule';

const layers: {
  readonly ORDER: Readonly<Record<string, readonly string[]>>;
  readonly rules: { readonly layers: LintRule };
} = require('../../../build/layers.js');

/** Returns what the linter says of an import. */
function lint(file: string, source: string): string[] {
  return lintNode(layers.rules.layers, file, 'ImportDeclaration', {
    source: { type: 'Literal', value: source },
  });
}

test('every directory inside a directory has one place in its order', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: ROOT, encoding: 'utf8' }).split(
    '\n',
  );
  const present = Object.keys(layers.ORDER).map((directory) => {
    const inside = files.flatMap((file) => {
      const [own, name = '', ...rest] = file.split('/');
      return own === directory && rest.length > 0 ? [name] : [];
    });
    return [directory, [...new Set(inside)].toSorted()] as const;
  });
  const ordered = Object.entries(layers.ORDER).map(([directory, order]) => [directory, order.toSorted()]);
  expect(ordered).toEqual(present);
});

test.each([
  ['a lower directory', 'schemas/run/run.ts', '../text/numbers'],
  ['its own directory', 'rules/answers/form/checks.ts', './fence'],
  ['a file directly in the directory', 'rules/texts/words.ts', '../keep-recent'],
  ['from such a file', 'cli/options.ts', './run/progress'],
])('an import is allowed: %s', (_, file, source) => {
  expect(lint(file, source)).toEqual([]);
});

test.each([
  [
    'a higher directory',
    'schemas/text/numbers.ts',
    '../run/run',
    'schemas/text imports schemas/run, which is above it. Move what both need into the lower one, or below both (ORDER in build/layers.js).',
  ],
  [
    'a directory without a place',
    'schemas/run/run.ts',
    '../new/names',
    'schemas/new has no place in the order of schemas/. Add it above the directories that it imports (ORDER in build/layers.js).',
  ],
  [
    'a layer above',
    'engine/grpc.ts',
    '../rules/group-by',
    'engine imports nothing of rules (build/layers.js).',
  ],
])('an import is rejected: %s', (_, file, source, message) => {
  expect(lint(file, source)).toEqual([message]);
});
