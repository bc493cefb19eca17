// Preloaded into a command: on exit writes the packages that it loaded as the last line of standard error.
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { register } = require('node:module');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

const PACKAGE = /[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/;

// The threads of the command preload this, too.
if (isMainThread) listLoaded();

function listLoaded() {
  // The bundle's files are ES modules, which only a hook sees; it runs in a thread of its own.
  const folder = mkdtempSync(path.join(tmpdir(), 'cupid-loaded-'));
  const log = path.join(folder, 'modules');
  writeFileSync(log, '');
  register(
    `data:text/javascript,${encodeURIComponent(`
      import { appendFileSync } from 'node:fs';
      export function load(url, context, next) {
        if (url.startsWith('file:')) appendFileSync(${JSON.stringify(log)}, new URL(url).pathname + '\\n');
        return next(url, context);
      }`)}`,
  );

  process.on('exit', () => {
    const loaded = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    rmSync(folder, { recursive: true });
    // A bundled file names its sources in its source map.
    const sources = loaded.flatMap((file) =>
      existsSync(`${file}.map`) ? JSON.parse(readFileSync(`${file}.map`, 'utf8')).sources : [],
    );
    const packages = [...sources, ...Object.keys(require.cache)].flatMap(
      (file) => PACKAGE.exec(file)?.[1] ?? [],
    );
    process.stderr.write(`\n${JSON.stringify([...new Set(packages)].toSorted())}`);
  });
}
