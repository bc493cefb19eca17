import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCodeVersion } from '../workers/workflow-bundle';
import { bundleCommand } from './bundle-command';
import { bundlePages } from './bundle-page';
import { bundleWorkflows } from './bundle-workflows';
import { describeSource } from './describe-source';

const ROOT = process.cwd();
const DIST = join(ROOT, 'dist');

/** Builds dist/ (`npm run build`): everything that runs, and everything that the program reads at run time. */
async function main(): Promise<void> {
  rmSync(DIST, { recursive: true, force: true });
  cpSync(join(ROOT, 'data'), join(DIST, 'data'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  });
  const lines = await Promise.all([
    bundleCommand(ROOT, DIST),
    bundleWorkflows(ROOT, DIST),
    bundlePages(ROOT, DIST),
  ]);
  chmodSync(join(DIST, 'cli', 'main.js'), 0o755);
  const workflows = readFileSync(join(DIST, 'workers', 'workflows.bundle.js'), 'utf8');
  const version = `${formatCodeVersion(workflows)} (${describeSource(ROOT, new Date())})`;
  writeFileSync(join(DIST, 'version.txt'), `${version}\n`);
  // npm shows this after `npm ci`, where sizes tell a user nothing.
  const isInstalling = process.env['npm_lifecycle_event'] === 'prepare';
  const sizes = isInstalling ? [] : lines.flat();
  process.stdout.write(`${[...sizes, `version: ${version}`].join('\n')}\n`);
}

void main();
