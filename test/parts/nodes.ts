import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createInPlace, getTestCache } from './cache';
import { MissingPart, type Report } from './part';

/** Other versions of Node.js that the program is tested with: every supported major version. */
export const NODE_VERSIONS = ['22.23.3', '24.21.0', '26.10.0'] as const;

/** Installs these versions of Node.js from npm. Returns their directory; `getNode` has the path of each. */
export async function installNodes(report: Report): Promise<string> {
  const folder = join(getTestCache(), `node-${NODE_VERSIONS.join('-')}`);
  if (existsSync(folder)) return folder;
  report(
    `Downloading Node.js ${NODE_VERSIONS.join(', ')} from npm into ${folder} (370 MB). This happens once; it takes about a minute.`,
  );
  await createInPlace(folder, async (making) => {
    for (const version of NODE_VERSIONS) await installNode(join(making, version), version);
  });
  return folder;
}

/** Returns the path of a version in the directory of this part. */
export function getNode(folder: string, version: string): string {
  return join(folder, version, 'node_modules', PACKAGE, 'bin', 'node');
}

/** The npm package of Node.js for this machine; its name has a prefix for macOS on arm64. */
const PACKAGE = `${process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${process.platform}-${process.arch}`;

async function installNode(folder: string, version: string): Promise<void> {
  const options = ['--ignore-scripts', '--no-package-lock', '--no-fund', '--no-audit', '--silent'];
  const install = ['install', '--prefix', folder, ...options, `${PACKAGE}@${version}`];
  await promisify(execFile)('npm', install).catch((error: unknown) => {
    throw new MissingPart(
      `Node.js ${version} is missing: npm could not download ${PACKAGE}@${version}.`,
      'npm test   # again, with access to the npm registry',
      { cause: error },
    );
  });
}
