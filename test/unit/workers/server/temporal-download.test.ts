import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { delimiter, join } from 'node:path';
import { checkDownload, downloadTemporal } from '../../../../workers/server/temporal-download';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const PROGRAM = '#!/bin/sh\necho temporal\n';

/** Answers like temporal.download: first the location, then the archive. */
let server: Server;
let source: string;
let archive: Buffer;
let description: Record<string, string>;
let asked: string[];

beforeAll(() => {
  const content = join(folder, 'content');
  mkdirSync(content);
  writeFileSync(join(content, 'temporal'), PROGRAM);
  writeFileSync(join(content, 'LICENSE'), 'MIT');
  spawnSync('tar', ['-czf', join(folder, 'cli.tar.gz'), '-C', content, 'LICENSE', 'temporal']);
});

beforeEach(async () => {
  asked = [];
  server = createServer(({ url = '', method = '' }, response) => {
    asked.push(`${method} ${url}`);
    if (url.startsWith('/cli/v1.5.1?')) response.end(JSON.stringify(description));
    else if (url === '/cli.tar.gz') response.end(archive);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  source = `http://127.0.0.1:${address.port}`;
  archive = readFileSync(join(folder, 'cli.tar.gz'));
  description = { archiveUrl: `${source}/cli.tar.gz`, fileToExtract: 'temporal' };
});
afterEach(() => {
  jest.restoreAllMocks();
  server.close();
});

test('the program is taken out of the archive, and nothing else is', async () => {
  const { into, path } = await download();
  expect(path).toBe(join(into, 'temporal'));
  expect(readdirSync(into)).toEqual(['temporal']);
  expect(readFileSync(path, 'utf8')).toBe(PROGRAM);
  expect(statSync(path).mode & 0o111).toBe(0o111);
  expect(asked[0]).toMatch(
    /^GET \/cli\/v1\.5\.1\?arch=(amd64|arm64)&platform=(linux|darwin)&format=tar\.gz$/,
  );
});

test('what unpacks it is given no key', async () => {
  const { env } = process;
  const bin = mkdtempSync(join(folder, 'bin-'));
  const tar = `#!/bin/sh\n/usr/bin/env > '${bin}/tar.env'\nPATH='${env['PATH']}' exec tar "$@"\n`;
  writeFileSync(join(bin, 'tar'), tar);
  chmodSync(join(bin, 'tar'), 0o755);
  const PATH = [bin, env['PATH']].join(delimiter);
  jest.replaceProperty(process, 'env', { ...env, PATH, OPENAI_API_KEY: 'sk-secret' });
  await download();
  const given = readFileSync(join(bin, 'tar.env'), 'utf8');
  expect(given).toContain(`PATH=${bin}`);
  expect(given).not.toContain('OPENAI_API_KEY');
});

test('whether it can be downloaded is found out without downloading it', async () => {
  await checkDownload('1.5.1', source);
  expect(asked.at(-1)).toBe('HEAD /cli.tar.gz');
  await expect(checkDownload('9.9.9', source)).rejects.toThrow('answered with status 404');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await expect(checkDownload('1.5.1', source)).rejects.toThrow(
    /^127\.0\.0\.1:\d+ cannot be reached \(.*ECONNREFUSED/,
  );
});

test.each([
  [
    'an archive by another protocol',
    () => ({ archiveUrl: 'ftp://host/cli.tar.gz' }),
    'is not downloaded over HTTPS',
  ],
  ['a file outside the folder', () => ({ fileToExtract: '../temporal' }), 'does not name an archive'],
  ['a file that is an option', () => ({ fileToExtract: '--to-command=sh' }), 'does not name an archive'],
  ['a file that is not in the archive', () => ({ fileToExtract: 'other' }), 'tar failed'],
])('%s is refused', async (_, wrong, reason) => {
  description = { ...description, ...wrong() };
  await expect(download()).rejects.toThrow(reason);
});

test('an archive that is cut short is refused', async () => {
  archive = archive.subarray(0, 60);
  await expect(download()).rejects.toThrow();
});

async function download(): Promise<{ into: string; path: string }> {
  const into = mkdtempSync(join(folder, 'into-'));
  return { into, path: await downloadTemporal('1.5.1', into, new AbortController().signal, source) };
}
