import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const RULES = path.join(__dirname, '../../../rules');
const PACKAGES = path.join(__dirname, '../../../node_modules');

test('all rules can be bundled with workflow code: none needs anything of Node', async () => {
  const files = readdirSync(RULES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  expect(files).toContain(path.join('answers', 'journey.ts'));
  const folder = mkdtempSync(path.join(tmpdir(), 'cupid-rules-'));
  try {
    const workflowsPath = path.join(folder, 'workflows.ts');
    const lines = files.map(
      (file) => `export * from ${JSON.stringify(path.join(RULES, file.slice(0, -3)))};`,
    );
    writeFileSync(workflowsPath, lines.join('\n'));
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      logger: new DefaultLogger('ERROR'),
      // The entry lies outside the project, whose packages it needs all the same.
      webpackConfigHook: (config) => ({
        ...config,
        resolve: { ...config.resolve, modules: [...(config.resolve?.modules ?? []), PACKAGES] },
      }),
    });
    for (const name of ['drawStructure', 'sampleTemplates', 'checkJourney', 'splitInstances'])
      expect(code).toContain(name);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
