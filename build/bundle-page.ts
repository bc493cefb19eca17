import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/** Bundles the pages: of each one script with the library that it uses, one style sheet, and the HTML. Returns a line about each. */
export async function bundlePages(root: string, dist: string): Promise<string[]> {
  return Promise.all([
    bundlePage(root, dist, 'explore', ['parts/page.css']),
    bundlePage(root, dist, 'review', ['parts/page.css', 'review/page/review.css']),
  ]);
}

async function bundlePage(
  root: string,
  dist: string,
  name: string,
  styles: readonly string[],
): Promise<string> {
  const folder = join('pages', name, 'page');
  const target = join(dist, folder);
  await mkdir(target, { recursive: true });
  const template = await readFile(join(root, 'pages', 'parts', 'page.html'), 'utf8');
  await writeFile(join(target, 'index.html'), template.replaceAll('NAME', name));
  const sheets = await Promise.all(styles.map((file) => readFile(join(root, 'pages', file), 'utf8')));
  await writeFile(join(target, `${name}.css`), sheets.join(''));
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
