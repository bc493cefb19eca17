import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';

/** Returns the pages, each one script with the library that it uses. Returns a line about each. */
export async function bundlePages(root: string, dist: string): Promise<string[]> {
  return [await bundlePage(root, dist, EXPLORE), await bundlePage(root, dist, REVIEW)];
}

interface Page {
  readonly folder: string;
  /** Of its script and its style sheet. */
  readonly name: string;
  /** Other files that its HTML loads. */
  readonly others: readonly string[];
}

const EXPLORE: Page = { folder: join('pages', 'explore', 'page'), name: 'explore', others: [] };
const REVIEW: Page = {
  folder: join('pages', 'review', 'page'),
  name: 'review',
  others: [join(EXPLORE.folder, 'explore.css')],
};

async function bundlePage(root: string, dist: string, { folder, name, others }: Page): Promise<string> {
  const target = join(dist, folder);
  await mkdir(target, { recursive: true });
  for (const file of ['index.html', `${name}.css`].map((own) => join(folder, own)).concat(others)) {
    await copyFile(join(root, file), join(target, basename(file)));
  }
  const license = await readFile(join(dirname(require.resolve('preact/package.json')), 'LICENSE'), 'utf8');
  const { metafile } = await build({
    entryPoints: [join(root, folder, `${name}.tsx`)],
    outfile: join(target, `${name}.js`),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Its license asks for this in every copy.
    banner: { js: `/*! preact\n${license}*/` },
    metafile: true,
  });
  const [bytes = 0] = Object.values(metafile.outputs).map((output) => output.bytes);
  return `page of cupid ${name}: ${bytes} bytes`;
}
