import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The page of `cupid explore`: one script, with the library that it uses. Returns one line about it. */
export async function bundlePage(root: string, dist: string): Promise<string> {
  const source = join(root, PAGE);
  const target = join(dist, PAGE);
  await mkdir(target, { recursive: true });
  for (const name of ['index.html', 'explore.css']) await copyFile(join(source, name), join(target, name));
  const { metafile } = await build({
    entryPoints: [join(source, 'explore.tsx')],
    outfile: join(target, 'explore.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
  });
  const [bytes = 0] = Object.values(metafile.outputs).map((output) => output.bytes);
  return `page of cupid explore: ${bytes} bytes`;
}

const PAGE = join('explorer', 'page');
