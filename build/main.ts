import { chmodSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCE_FILE } from '../cli/version';
import { bundlePages } from './bundle-page';
import { bundleWorkflows } from './bundle-workflows';
import { describeSource } from './describe-source';

const DIST = join(__dirname, '..');
const ROOT = join(DIST, '..');

/** Second part of `npm run build`, after the compiler: adds to dist/ what the program reads when it runs. */
async function main(): Promise<void> {
  cpSync(join(ROOT, 'data'), join(DIST, 'data'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  });
  const source = describeSource(ROOT, new Date());
  writeFileSync(SOURCE_FILE, `${source}\n`);
  chmodSync(join(DIST, 'cli', 'main.js'), 0o755);
  process.stdout.write(
    `${await bundleWorkflows()}\n${(await bundlePages(ROOT, DIST)).join('\n')}\nsource: ${source}\n`,
  );
}

void main();
