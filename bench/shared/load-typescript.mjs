import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './processes.mjs';

/** Loads a module of the tests, which are in TypeScript. */
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
  // Dynamic imports name the built file.
  Module._resolveFilename = (request, parent, ...others) =>
    resolve.call(
      Module,
      /^\.\.?\/.*\.js$/.test(request) && parent?.filename.endsWith('.ts') ? request.slice(0, -3) : request,
      parent,
      ...others,
    );
  return load(join(ROOT, file));
}
