/**
 * Builds dist/: bundles build/main.ts with esbuild, and runs it. `npm run build`; npm also runs it after `npm ci`, before `npm pack`, and
 * when the package is installed from Git.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

// The first `npx cupid` in a clone prepares the package again. A failure or Ctrl-C there would break every later one: npm keeps half a folder.
// If nothing is built yet, bin/cupid.js says so.
if (process.env.npm_command === 'exec') process.exit();

const BUILDER = join('dist', 'build.cjs');

try {
  // Also checks what main.ts bundles into the pages.
  const [{ build }] = await Promise.all([import('esbuild'), import('preact')]);
  await build({
    entryPoints: ['build/main.ts'],
    bundle: true,
    platform: 'node',
    packages: 'external',
    outfile: BUILDER,
    logLevel: 'warning',
  });
} catch (error) {
  const [reason] = String(error.message).split('\n');
  process.stderr.write(
    `cupid cannot be built here (${reason}). To build it, run: npm ci --include=dev --include=optional && npm run build. A built package (npm pack) installs without what builds it: npm install --global ./cupid-benchmark-*.tgz\n`,
  );
  process.exit(1);
}
process.exitCode = spawnSync(process.execPath, [BUILDER], { stdio: 'inherit' }).status ?? 1;
