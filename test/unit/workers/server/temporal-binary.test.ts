import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { findTemporal, forecastTemporal, TemporalNotFound } from '../../../../workers/server/temporal-binary';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
let count = 0;
let home: string;

beforeEach(() => {
  count += 1;
  home = join(folder, String(count));
  mkdirSync(join(home, 'bin'), { recursive: true });
  environment({});
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('offline'));
});
afterEach(() => jest.restoreAllMocks());

describe('the Temporal server', () => {
  test('is the one on PATH when that is new enough', async () => {
    const path = temporal(join(home, 'bin'), '1.29.1');
    expect(await forecastTemporal()).toEqual({
      from: 'installed',
      binary: { path, origin: 'PATH', server: '1.29.1' },
      problems: [],
    });
  });

  test('is the cached one when the one on PATH is too old, which is said', async () => {
    const old = temporal(join(home, 'bin'), '1.24.2');
    const path = temporal(join(home, 'cache', CACHE), '1.29.1');
    const { binary, problems } = await forecastTemporal();
    expect(binary).toMatchObject({ path, origin: 'cache' });
    expect(problems).toEqual([
      `${old} is skipped: it contains Temporal server 1.24.2, but 1.29.0 or newer is needed.`,
    ]);
  });

  test('is not run for its version when it is the cached one', async () => {
    const path = temporal(join(home, 'cache', CACHE), '1.29.1');
    expect((await forecastTemporal()).binary).toEqual({ path, origin: 'cache', server: '1.29.1' });
    expect(existsSync(join(home, 'ran'))).toBe(false);
  });

  test.each([
    ['an empty XDG_CACHE_HOME', { XDG_CACHE_HOME: '' }],
    ['a relative XDG_CACHE_HOME', { XDG_CACHE_HOME: 'cache' }],
    ['a relative folder of PATH', { PATH: ['', '.', 'bin'].join(delimiter) }],
  ])('is never run from the current folder: %s', async (_, variables) => {
    const here = join(home, 'here');
    for (const place of ['.', 'bin', CACHE, join('cache', CACHE)]) temporal(join(here, place), '1.29.1');
    const before = process.cwd();
    process.chdir(here);
    try {
      environment({ HOME: join(home, 'nobody'), PATH: '', ...variables });
      const { binary } = await forecastTemporal();
      // This user's own cache may contain one.
      expect(binary?.path.startsWith(here)).not.toBe(true);
      expect(existsSync(join(home, 'ran'))).toBe(false);
    } finally {
      process.chdir(before);
    }
  });

  test('is the one that CUPID_TEMPORAL names, and no other', async () => {
    temporal(join(home, 'bin'), '1.29.1');
    const own = temporal(join(home, 'own'), '1.30.0');
    environment({ CUPID_TEMPORAL: own });
    expect((await forecastTemporal()).binary).toEqual({
      path: own,
      origin: 'CUPID_TEMPORAL',
      server: '1.30.0',
    });
    environment({ CUPID_TEMPORAL: join(home, 'missing') });
    expect(await forecastTemporal()).toMatchObject({ from: 'nowhere' });
    await expect(findTemporal(() => undefined)).rejects.toThrow(
      `CUPID_TEMPORAL names a program that cannot be used: ${join(home, 'missing')} is not a program.`,
    );
  });

  test('is not run at all when it has not the SHA-256 that is pinned', async () => {
    const path = temporal(join(home, 'bin'), '1.29.1');
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    environment({ CUPID_TEMPORAL_SHA256: '0'.repeat(64) });
    const { from, problems } = await forecastTemporal();
    expect(from).toBe('nowhere');
    expect(problems[0]).toContain(
      `${path} is skipped: its SHA-256 is ${sha256}, but CUPID_TEMPORAL_SHA256 is 000`,
    );
    expect(existsSync(join(home, 'ran'))).toBe(false);
    environment({ CUPID_TEMPORAL_SHA256: sha256.toUpperCase() });
    expect(await forecastTemporal()).toMatchObject({ from: 'installed' });
    environment({ CUPID_TEMPORAL_SHA256: 'abc' });
    await expect(findTemporal(() => undefined)).rejects.toThrow(TemporalNotFound);
  });

  test('and what builds it are given no key', async () => {
    const keys = {
      OPENAI_API_KEY: 'sk-1',
      GOOGLE_API_KEY: 'g-1',
      AWS_SECRET_ACCESS_KEY: 'a-1',
      HF_TOKEN: 'hf-1',
    };
    temporal(join(home, 'bin'), '1.24.2');
    go('1.26.1', temporalScript('1.29.1'));
    environment({ ...keys, GOPROXY: 'https://proxy.example', HTTPS_PROXY: 'http://proxy:3128' });
    expect(await forecastTemporal()).toMatchObject({ from: 'build' });
    expect(await findTemporal(() => undefined)).toMatchObject({ origin: 'built' });
    const [given, byGo] = ['temporal.env', 'go.env'].map((file) => readFileSync(join(home, file), 'utf8'));
    for (const name of Object.keys(keys)) {
      expect(given).not.toContain(name);
      expect(byGo).not.toContain(name);
    }
    expect(given).not.toContain('PROXY');
    expect(byGo).toContain('GOPROXY=https://proxy.example');
    expect(byGo).toContain('HTTPS_PROXY=http://proxy:3128');
  });
});

describe('where none is installed, it is forecast', () => {
  test('that it is downloaded, where that works', async () => {
    jest.mocked(fetch).mockImplementation(async (url, options) => {
      if (typeof url !== 'string') throw new Error('A URL is asked for by its text.');
      if (options?.method === 'HEAD') return answer(url, null);
      return answer(
        url,
        JSON.stringify({ archiveUrl: 'https://host/cli.tar.gz', fileToExtract: 'temporal' }),
      );
    });
    expect(await forecastTemporal()).toEqual({ from: 'download', problems: [] });
  });

  test('that it is built, where only that works', async () => {
    go('1.26.1');
    expect(await forecastTemporal()).toEqual({
      from: 'build',
      problems: ['It cannot be downloaded: temporal.download cannot be reached (Error: offline).'],
    });
  });

  test.each([
    ['without Go', undefined, 'It cannot be built: Go is not installed.'],
    [
      'with a Go that is too old',
      '1.20.3',
      'It cannot be built: Go 1.20.3 is too old; 1.25.0 or newer is needed.',
    ],
    ['without a module proxy', 'offline', 'It cannot be built: go list failed: dial tcp: no such host.'],
  ])('that it is unavailable %s', async (_, version, reason) => {
    if (version !== undefined) go(version);
    const { from, problems } = await forecastTemporal();
    expect(from).toBe('nowhere');
    expect(problems).toContain(reason);
  });
});

test('a build is kept for this user alone, and its SHA-256 is reported', async () => {
  go('1.26.1', temporalScript('1.29.1'));
  const lines: string[] = [];
  const binary = await findTemporal((line) => lines.push(line));
  const cache = join(home, 'cache', CACHE);
  expect(binary).toEqual({ path: join(cache, 'temporal'), origin: 'built', server: '1.29.1' });
  for (const made of ['cache/cupid', `cache/${CACHE}`]) {
    expect(statSync(join(home, made)).mode & 0o777).toBe(0o700);
  }
  expect(readdirSync(cache)).toEqual(['temporal']);
  expect(lines.join('\n')).toContain('It is verified by HTTPS only. Set CUPID_TEMPORAL_SHA256');
  expect(lines.at(-1)).toMatch(/is in .*temporal \(SHA-256 [\da-f]{64}\)\.$/);
});

test('two commands at once build it once: the second waits, and says for whom', async () => {
  const waitingSeen = join(home, 'waiting');
  go('1.26.1', temporalScript('1.29.1'), waitingSeen);
  const lines: string[] = [];
  const find = () =>
    findTemporal((line) => {
      lines.push(line);
      if (line.includes('Waiting')) writeFileSync(waitingSeen, '');
    });
  const origins = (await Promise.all([find(), find()])).map(({ origin }) => origin);
  expect(origins.toSorted()).toEqual(['built', 'cache']);
  expect(lines).toContain(
    `Process ${process.pid} is installing the Temporal server. Waiting until it is done.`,
  );
});

test('a build that has not the SHA-256 that is pinned is not kept', async () => {
  go('1.26.1', temporalScript('1.29.1'));
  environment({ CUPID_TEMPORAL_SHA256: '0'.repeat(64) });
  await expect(findTemporal(() => undefined)).rejects.toThrow('but CUPID_TEMPORAL_SHA256 is 000');
  expect(readdirSync(join(home, 'cache', CACHE))).toEqual([]);
  expect(existsSync(join(home, 'ran'))).toBe(false);
});

const CACHE = join('cupid', 'temporal-1.5.1');

function environment(variables: Record<string, string>): void {
  jest.replaceProperty(process, 'env', {
    PATH: [join(home, 'bin'), '/nowhere'].join(delimiter),
    HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    ...variables,
  });
}

/** Writes a program in place of the Temporal CLI that leaves a trace when it runs. */
function temporal(place: string, server: string): string {
  mkdirSync(place, { recursive: true });
  return program(join(place, 'temporal'), temporalScript(server));
}

function temporalScript(server: string): string {
  return `: > '${home}/ran'; /usr/bin/env >> '${home}/temporal.env'; echo "temporal version 1 (Server ${server}, UI 1)"`;
}

/** Writes a program in place of Go, of this version; `offline` has no network. It builds once the awaited file is there. */
function go(version: string, built = '', awaitedFile = home): void {
  program(
    join(home, 'bin', 'go'),
    `/usr/bin/env >> '${home}/go.env'
case $1 in
  env) echo go${version === 'offline' ? '1.26.1' : version}; echo local ;;
  list) ${version === 'offline' ? 'echo "dial tcp: no such host" >&2; exit 1' : 'exit 0'} ;;
  install) while [ ! -e '${awaitedFile}' ]; do /bin/sleep 0.1; done; printf '%s\\n' '#!/bin/sh' "$(/bin/cat '${home}/built')" > "$GOBIN/temporal"; /bin/chmod 755 "$GOBIN/temporal" ;;
esac`,
  );
  writeFileSync(join(home, 'built'), built);
}

function program(path: string, lines: string): string {
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

function answer(url: string, body: string | null): Response {
  return Object.defineProperty(new Response(body), 'url', { value: url });
}
