import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { listLicenses } from './list-licenses';

/**
 * Bundles the command as `cli/main.js`, because loading a thousand modules one by one took most of a command's start. Each dynamic import
 * becomes a file beside it, as do the tokenizer, the process that replays a history and the thread that reads tables. The parser of the
 * command line imports no zod. `bench/start-up.mjs` measures the start.
 * @returns a line about the result
 */
export async function bundleCommand(root: string, dist: string): Promise<string> {
  const outdir = join(dist, 'cli');
  const command = await build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir,
    format: 'esm',
    splitting: true,
    // Stack traces name the sources (cli/main.ts).
    sourcemap: true,
    sourcesContent: false,
    banner: { js: COMMON_JS },
    plugins: [requireExternals, requireTokenizer, markEntries(root)],
  });
  const tokenizer = await build({
    ...COMMON,
    absWorkingDir: root,
    entryPoints: ['gpt-tokenizer/encoding/o200k_base'],
    outfile: join(outdir, TOKENIZER),
  });
  const inputs = { ...command.metafile.inputs, ...tokenizer.metafile.inputs };
  await writeFile(join(dist, 'package.json'), '{ "type": "module" }\n');
  await writeFile(join(dist, 'third-party-licenses.txt'), listLicenses(root, Object.keys(inputs)));
  const outputs = { ...command.metafile.outputs, ...tokenizer.metafile.outputs };
  const parts = Object.entries(outputs).filter(([file]) => !file.endsWith('.map'));
  const bytes = parts.reduce((sum, [, part]) => sum + part.bytes, 0);
  return `command: ${parts.length} files, ${bytes} bytes`;
}

const ENTRIES = {
  main: 'cli/main.ts',
  'replay-history': 'workers/replay/history-process.ts',
  'read-table': 'data/readers/thread/read-table.ts',
};

const COMMON = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // Smaller files compile faster.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  metafile: true,
} as const satisfies BuildOptions;

/** Defines the two CommonJS names that the bundle uses; its files are ES modules. */
const COMMON_JS = `import { createRequire as createRequireHere } from 'node:module';
const require = createRequireHere(import.meta.url);
const __dirname = import.meta.dirname;`;

/**
 * Packages with native code or files of their own, which are loaded from node_modules on demand. All others are bundled: an SDK of a provider
 * loads in half the time, and nobody installs devDependencies.
 */
const EXTERNAL =
  /^(?:@temporalio\/(?:activity|client|common|worker|workflow)|fs-native-extensions|parquet-wasm)(?:\/|$)/;

/** Loads external packages as CommonJS, as the sources do, when the importing module is loaded. */
const requireExternals: Plugin = {
  name: 'require-externals',
  setup(plugins) {
    plugins.onResolve({ filter: EXTERNAL }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'required' },
    );
    plugins.onLoad({ filter: EXTERNAL, namespace: 'required' }, ({ path }) => ({
      contents: `${path === '@temporalio/worker' ? OMIT_BUNDLER : ''}module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

const TOKENIZER = 'tokenizer.cjs';

/** Loads the tokenizer from a file of its own, so that only a command that counts tokens loads these 3 MB. */
const requireTokenizer: Plugin = {
  name: 'require-tokenizer',
  setup(plugins) {
    plugins.onResolve({ filter: /^gpt-tokenizer\// }, () => ({ path: `./${TOKENIZER}`, external: true }));
  },
};

/**
 * Keeps the SDK's worker from loading the file system in memory that it bundles workflows with, some hundred modules. They are bundled here
 * (`bundle-workflows.ts`), so no command uses it.
 */
const OMIT_BUNDLER = `{
  const fromWorker = createRequireHere(require.resolve('@temporalio/worker'));
  const id = fromWorker.resolve('memfs');
  fromWorker.cache[id] ??= Object.assign(new (fromWorker('node:module').Module)(id), { loaded: true });
}
`;

/** Adds an export to the entries. Otherwise esbuild takes them for CommonJS, and evaluates each module that they import in a function. */
function markEntries(root: string): Plugin {
  const entries = new Set(Object.values(ENTRIES).map((file) => join(root, file)));
  return {
    name: 'mark-entries',
    setup(plugins) {
      plugins.onLoad({ filter: /\.ts$/ }, async ({ path }) =>
        entries.has(path)
          ? { contents: `${await readFile(path, 'utf8')}\nexport {};`, loader: 'ts' }
          : undefined,
      );
    },
  };
}
