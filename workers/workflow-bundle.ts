import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the build puts the bundled workflows, beside this file. */
export const BUNDLE_FILE = join(__dirname, 'workflows.bundle.js');

/**
 * The prebuilt workflows, and the code's version: the first hexadecimal digits of the bundle's SHA-256. Whoever
 * changes a workflow changes it (decision 15).
 * @throws Error that says how to build it when it is missing.
 */
export async function workflowBundle(): Promise<{ path: string; version: string }> {
  try {
    const version = createHash('sha256')
      .update(await readFile(BUNDLE_FILE))
      .digest('hex')
      .slice(0, 12);
    return { path: BUNDLE_FILE, version };
  } catch (error) {
    throw new Error('The bundled workflows are missing. Run "npm run build" first.', { cause: error });
  }
}
