import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { PARTS_STYLE } from '../pages/parts/style';
import { PAGE_POLICY } from '../pages/policy';

/** Bundles the pages: of each one script with the library that it uses, one style sheet, and the HTML. Returns a line about each. */
export async function bundlePages(root: string, dist: string): Promise<string[]> {
  return Promise.all([
    bundlePage(root, dist, { name: 'explore', script: 'live', styles: ['parts/page.css'] }),
    bundlePage(root, dist, {
      name: 'explore',
      script: 'bundle',
      folder: 'bundle',
      styles: ['parts/page.css'],
      packages: ['preact', 'zod'],
      unrendered: `<p class="unrendered">${UNSERVED_TEXT}</p>`,
    }),
    bundlePage(root, dist, {
      name: 'review',
      script: 'review',
      styles: ['parts/page.css', 'review/page/review.css'],
    }),
  ]);
}

/** Browsers run no script of a page from disk. */
const UNSERVED_TEXT =
  'This page needs a web server. If you opened it from disk, run <code>python3 -m http.server</code> in its directory, and open <code>http://localhost:8000</code>.';

interface BundledPage {
  /** Directory below `pages/`. */
  readonly name: string;
  /** File in its `page/` that renders it. */
  readonly script: string;
  /** Directory of the result beside others; absent for `page`. */
  readonly folder?: string;
  readonly styles: readonly string[];
  /** Packages that its script contains; absent for preact alone. */
  readonly packages?: readonly string[];
  /** HTML that the page shows until its script renders it. */
  readonly unrendered?: string;
}

async function bundlePage(
  root: string,
  dist: string,
  { name, script, folder = 'page', styles, packages = ['preact'], unrendered = '' }: BundledPage,
): Promise<string> {
  const target = join(dist, 'pages', name, folder);
  await mkdir(target, { recursive: true });
  const template = await readFile(join(root, 'pages', 'parts', 'page.html'), 'utf8');
  await writeFile(
    join(target, 'index.html'),
    template
      .replaceAll('NAME', name)
      .replace('POLICY', PAGE_POLICY.join('; '))
      .replace('UNRENDERED', unrendered),
  );
  const sheets = await Promise.all(styles.map((file) => readFile(join(root, 'pages', file), 'utf8')));
  await writeFile(join(target, `${name}.css`), [PARTS_STYLE, ...sheets].join(''));
  const licenses = await Promise.all(
    packages.map(async (packageName) => {
      const license = join(dirname(require.resolve(`${packageName}/package.json`)), 'LICENSE');
      return `/*! ${packageName}\n${await readFile(license, 'utf8')}*/`;
    }),
  );
  const { metafile } = await build({
    entryPoints: [join(root, 'pages', name, 'page', `${script}.tsx`)],
    outfile: join(target, `${name}.js`),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    // The licenses ask for this in every copy.
    banner: { js: licenses.join('\n') },
    metafile: true,
  });
  const [bytes = 0] = Object.values(metafile.outputs).map((output) => output.bytes);
  return `page of cupid ${name}, ${folder}: ${bytes} bytes`;
}
