// Preloaded into a command: on exit writes the packages that it loaded as the last line of standard error.
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { register } = require('node:module');
const { tmpdir } = require('node:os');
const path = require('node:path');

const PACKAGE = /^(?:\/\/ |.*[/\\])node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/gm;

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
  const bundled = readFileSync(log, 'utf8')
    .split('\n')
    .filter((file) => file !== '')
    .map((file) => readFileSync(file, 'utf8'));
  rmSync(folder, { recursive: true });
  const texts = [...bundled, ...Object.keys(require.cache)];
  const packages = texts.flatMap((text) => [...text.matchAll(PACKAGE)].map(([, name]) => name));
  process.stderr.write(`\n${JSON.stringify([...new Set(packages)].toSorted())}`);
});
