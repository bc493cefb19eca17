import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const ROOT = path.join(__dirname, '../../..');
const PURE = ['rules', 'engine'];
const PACKAGES = path.join(ROOT, 'node_modules');

test('the directories of pure functions can be bundled with workflow code: none needs anything of Node', async () => {
  const files = PURE.flatMap((directory) =>
    readdirSync(path.join(ROOT, directory), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join(directory, file)),
  );
  expect(files).toContain(path.join('rules', 'answers', 'synthesis', 'journey.ts'));
  const folder = mkdtempSync(path.join(tmpdir(), 'cupid-rules-'));
  try {
    const workflowsPath = path.join(folder, 'workflows.ts');
    const lines = files.map((file) => `export * from ${JSON.stringify(path.join(ROOT, file.slice(0, -3)))};`);
    writeFileSync(workflowsPath, lines.join('\n'));
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      logger: new DefaultLogger('ERROR'),
      // The entry is outside the project, but needs its packages.
      webpackConfigHook: (config) => ({
        ...config,
        resolve: { ...config.resolve, modules: [...(config.resolve?.modules ?? []), PACKAGES] },
      }),
    });
    for (const name of [
      'drawStructure',
      'sampleTemplates',
      'checkJourney',
      'splitInstances',
      'buildJournalKey',
    ])
      expect(code).toContain(name);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
