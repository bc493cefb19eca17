import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './processes.mjs';

/** Loads a module of the sources or of the tests, which are in TypeScript. */
export function loadTypeScript(file) {
  const load = createRequire(import.meta.url);
  const { transformSync } = load('@swc/core');
  load.extensions['.ts'] = (module, path) => {
    const options = {
      filename: path,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
      module: { type: 'commonjs' },
    };
    module._compile(transformSync(readFileSync(path, 'utf8'), options).code, path);
  };
  const resolve = Module._resolveFilename;
  Module._resolveFilename = (request, parent, ...others) =>
    resolve.call(Module, parent?.filename.endsWith('.ts') ? nameSource(request) : request, parent, ...others);
  return load(join(ROOT, file));
}

/** Names the source of an import. Dynamic imports name the built file, and only the built program has the file of a thread. */
function nameSource(request) {
  if (request.endsWith('/thread-file')) return join(ROOT, 'test', 'thread-file.js');
  return /^\.\.?\/.*\.js$/.test(request) ? request.slice(0, -3) : request;
}
