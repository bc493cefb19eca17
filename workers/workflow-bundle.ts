import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashText } from '../data/store/files';
import { PROGRAM_FOLDER } from '../data/program-folder';
import { version } from '../package.json';

/** The bundled workflows, written by the build. */
const BUNDLE_FILE = join(PROGRAM_FOLDER, 'workers', 'workflows.bundle.js');

/**
 * Finds the prebuilt workflows, and the code's version. A run whose `run.json` names another version, or another engine, starts again from its
 * journal.
 * @throws Error that says how to build it when it is missing.
 */
export async function readWorkflowBundle(): Promise<{ path: string; version: string }> {
  let code: string;
  try {
    code = await readFile(BUNDLE_FILE, 'utf8');
  } catch (error) {
    throw new Error('The bundled workflows are missing. Run "npm run build" first.', { cause: error });
  }
  return { path: BUNDLE_FILE, version: formatCodeVersion(code) };
}

/**
 * Formats the code's version: the package's, then the first digits of the SHA-256 of the bundled workflows. Every change of a workflow changes it.
 * @param code the bundle
 */
export function formatCodeVersion(code: string): string {
  const hash = hashText(removeSourceMap(code)).slice(0, 12);
  return `${version}+${hash}`;
}

// The source map names the build folder, which must not change the version of the same code.
function removeSourceMap(code: string): string {
  const map = code.lastIndexOf('//# sourceMappingURL=');
  return code.slice(0, map < 0 ? code.length : map);
}
