import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { BUNDLE_FILE } from './workflow-bundle';

/** Part of `npm run build`: bundles the workflows ahead of time, since bundling at a worker's start takes seconds. */
async function main(): Promise<void> {
  await rm(BUNDLE_FILE, { force: true });
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(__dirname, '..', 'workflows', 'index.js'),
    logger: {
      log: () => undefined,
      trace: () => undefined,
      debug: () => undefined,
      info: () => undefined,
      warn: (message) => process.stderr.write(`${message}\n`),
      error: (message) => process.stderr.write(`${message}\n`),
    },
  });
  await writeFile(BUNDLE_FILE, code);
  const bytes = await readFile(BUNDLE_FILE);
  process.stdout.write(
    `workflow bundle: ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}\n`,
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
