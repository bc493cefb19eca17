import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { BUNDLE_FILE, readWorkflowBundle } from '../workers/workflow-bundle';

/** Bundles the workflows ahead of time, since bundling at a worker's start takes seconds. Returns one line about the bundle. */
export async function bundleWorkflows(): Promise<string> {
  const workflowsPath = join(__dirname, '..', 'workflows', 'index.js');
  const failureConverterPath = join(__dirname, '..', 'workflows', 'failure-converter.js');
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    failureConverterPath,
    // Evaluated once for a worker instead of once for each workflow: no module keeps a workflow's state.
    preloadModules: [workflowsPath, failureConverterPath],
    logger: {
      log: () => undefined,
      trace: () => undefined,
      debug: () => undefined,
      info: () => undefined,
      warn: (message) => process.stderr.write(`${message}\n`),
      error: (message) => process.stderr.write(`${message}\n`),
    },
  });
  // Whole or not at all: a worker may be starting from it.
  await writeFile(`${BUNDLE_FILE}.new`, code);
  await rename(`${BUNDLE_FILE}.new`, BUNDLE_FILE);
  const { version } = await readWorkflowBundle();
  return `workflow bundle: ${code.length} characters, version ${version}`;
}
