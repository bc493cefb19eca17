import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod';

const ROOT = join(__dirname, '..', '..', '..');
const bundle = readFileSync(join(ROOT, 'dist', 'workers', 'workflows.bundle.js'), 'utf8');

const MAP = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';
const mapAt = bundle.lastIndexOf(MAP);
const { sources } = z
  .object({ sources: z.array(z.string()) })
  .parse(JSON.parse(Buffer.from(bundle.slice(mapAt + MAP.length), 'base64').toString()));

/** Packages in the bundle that are not the SDK's own. */
const packages = [
  ...new Set(sources.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])),
];

/** Modules of the project in the bundle, with their text. */
const modules = sources.flatMap((file) =>
  file.endsWith('.ts') && file.startsWith(ROOT) && !file.includes('/node_modules/')
    ? [{ name: relative(ROOT, file), text: readFileSync(file, 'utf8') }]
    : [],
);

test('the workflow bundle holds the SDK and no other package', () => {
  expect(packages.toSorted()).toEqual([
    '@temporalio/common',
    '@temporalio/workflow',
    'long',
    'ms',
    'nexus-rpc',
  ]);
});

test('the workflow bundle holds workflows, and those rules and constants of schemas that they use', () => {
  expect(modules.map(({ name }) => name)).toContain(join('rules', 'method', 'dialogue.ts'));
  for (const { name } of modules) expect(name).toMatch(/^(workflows|rules|engine|schemas)[/\\]/);
  expect(mapAt).toBeLessThan(730_000);
});

test('modules are evaluated once for all workflows, so none keeps state', () => {
  expect(bundle).toMatch(/preloadModules = function preloadModules\(\) \{\s*__webpack_require__\(/);
  const stateful = modules.filter(({ text }) => STATE.test(text)).map(({ name }) => name);
  expect(stateful).toEqual([]);
});

/** A variable of a module, a collection with a type that is not read-only, or a function that keeps results. */
const STATE = /^(?:export )?(?:let|var) |^(?:export )?const \w+ = (?:new (?:Weak)?(?:Map|Set)|keepRecent)\b/m;
