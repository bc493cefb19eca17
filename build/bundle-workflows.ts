import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

/**
 * Bundles the workflows ahead of time, since bundling at a worker's start takes seconds. The bundle holds only the SDK and our own modules:
 * workflows import types and constants of `schemas/`, never zod. With the preloading below this saves 13 ms of processor time for each
 * workflow. Returns one line about the bundle.
 */
export async function bundleWorkflows(root: string, dist: string): Promise<string> {
  const workflowsPath = join(root, 'workflows', 'index.ts');
  const interceptorsPath = join(root, 'workflows', 'stamp-interceptors.ts');
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [interceptorsPath],
    // Evaluated once per worker instead of once per workflow: no module keeps a workflow's state.
    preloadModules: [workflowsPath, interceptorsPath],
    webpackConfigHook: (config) => ({
      ...config,
      module: { ...config.module, rules: [...(config.module?.rules ?? []).slice(0, -1), TYPESCRIPT] },
    }),
    logger: {
      log: () => undefined,
      trace: () => undefined,
      debug: () => undefined,
      info: () => undefined,
      warn: (message) => process.stderr.write(`${message}\n`),
      error: (message) => process.stderr.write(`${message}\n`),
    },
  });
  const file = join(dist, 'workers', 'workflows.bundle.js');
  await mkdir(dirname(file), { recursive: true });
  // Replaced atomically, because a worker may be starting from it.
  const shortened = shortenSourceMap(code);
  await writeFile(`${file}.new`, shortened);
  await rename(`${file}.new`, file);
  return `workflow bundle: ${shortened.length} characters`;
}

/** Leaves the sources themselves out of the source map, which every worker and each of its workflow threads parses. */
function shortenSourceMap(code: string): string {
  return code.replace(/(?<=\n\/\/# sourceMappingURL=data:[^,]*base64,)\S+/, (map) => {
    const parsed: unknown = JSON.parse(Buffer.from(map, 'base64').toString());
    return Buffer.from(JSON.stringify({ ...Object(parsed), sourcesContent: undefined })).toString('base64');
  });
}

/** The SDK compiles TypeScript to modules for ES2017, which makes the bundle larger by a seventh. */
const TYPESCRIPT = {
  test: /\.ts$/,
  exclude: /node_modules/,
  use: {
    loader: require.resolve('swc-loader', { paths: [dirname(require.resolve('@temporalio/worker'))] }),
    options: {
      sourceMap: true,
      module: { type: 'commonjs' },
      jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    },
  },
};
