import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request, type RequestOptions } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { findTemporal } from '../../../../workers/server/temporal-binary';
import { isDatabaseAtFault } from '../../../../workers/server/engine';
import {
  findRunningServer,
  findRunningUi,
  ServerFailed,
  startServer,
} from '../../../../workers/server/temporal-server';
import { compileModule } from '../../../compile-module';
import { findOwnPort } from '../../../ports';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const onLinux = process.platform === 'linux' ? test : test.skip;
// Only root may make a PID namespace, and not in every container.
const acrossNamespaces = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0 ? test : test.skip;

const onTestEnd: (() => void)[] = [];
afterEach(() => {
  for (const end of onTestEnd.splice(0)) end();
});

describe('the embedded server', () => {
  test('takes another free port when a program has taken the first one before it', async () => {
    const { binary, ports } = await unlucky('once', 1);
    const server = await startServer({ binary, folder: join(folder, 'once') });
    try {
      expect(ports()).toHaveLength(2);
      expect(ports()).toContain(server.port);
    } finally {
      await server.stop();
    }
  });

  test('gives up after three free ports', async () => {
    const { binary, ports } = await unlucky('always', 9);
    await expect(startServer({ binary, folder: join(folder, 'always') })).rejects.toThrow(
      'Another program took a port',
    );
    expect(ports()).toHaveLength(3);
  });

  test('never goes to another port than one that is named', async () => {
    const { binary, ports } = await unlucky('named', 1);
    const port = await findOwnPort();
    const server = await startServer({ binary, folder: join(folder, 'named'), port });
    try {
      // The lost port may have been one that the server picks itself.
      expect(ports()).toEqual([port, port]);
      expect(server.port).toBe(port);
    } finally {
      await server.stop();
    }
  });

  test('keeps its database in its folder, whatever the folder is called', async () => {
    const own = join(folder, 'a #1? 50%20 & more');
    const server = await startServer({ binary: (await findTemporal(() => undefined)).path, folder: own });
    await server.stop();
    expect(readdirSync(own)).toContain('temporal.db');
    expect(readdirSync(folder).filter((name) => /temporal|^a$/.test(name))).toEqual([]);
  });

  test('keeps closed workflows for a year, also after it was started again', async () => {
    const own = { binary: (await findTemporal(() => undefined)).path, folder: join(folder, 'year') };
    for (let start = 1; start <= 2; start += 1) {
      const server = await startServer(own);
      const connection = await Connection.connect({ address: `127.0.0.1:${server.port}` });
      try {
        const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
        expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(365 * 24 * 3600);
      } finally {
        await connection.close();
        await server.stop();
      }
    }
  });

  test('answers no HTTP request that a web page could send', async () => {
    const port = await findOwnPort();
    const { path } = await findTemporal(() => undefined);
    const binary = script('http', `exec '${path}' "$@" --http-port=${port}`);
    const uiPort = await findOwnPort();
    const server = await startServer({ binary, folder: join(folder, 'http'), uiPort });
    expect(await findRunningUi(join(folder, 'http'))).toBe(`http://127.0.0.1:${uiPort}`);
    try {
      const workflows = `http://127.0.0.1:${port}/api/v1/namespaces/default/workflows`;
      for (const Host of [`127.0.0.1:${port}`, 'localhost', 'page.example', '']) {
        const headers = { Host, Origin: 'http://page.example' };
        expect(await statusOf(workflows, { headers })).toBe(403);
        const ending = { method: 'POST', headers: { ...headers, 'Content-Type': 'text/plain' } };
        expect(await statusOf(`${workflows}/cupid-1a2b3c4d/terminate`, ending)).toBe(403);
        // The UI's own API needs the token of its pages, which a page of another origin cannot read.
        const atUi = workflows.replace(String(port), String(uiPort));
        expect(await statusOf(`${atUi}/cupid-1a2b3c4d/terminate`, ending)).toBe(400);
      }
    } finally {
      await server.stop();
    }
  });

  onLinux('is given no key: its environment has only what a program needs', async () => {
    jest.replaceProperty(process, 'env', {
      ...process.env,
      OPENAI_API_KEY: 'sk-secret',
      HF_TOKEN: 'hf_secret',
    });
    const { path } = await findTemporal(() => undefined);
    const server = await startServer({ binary: path, folder: join(folder, 'environment') });
    try {
      const names = readFileSync(`/proc/${server.pid}/environ`, 'utf8')
        .split('\0')
        .map((line) => line.split('=')[0]);
      expect(names).toContain('PATH');
      expect(names).not.toContain('OPENAI_API_KEY');
      expect(names).not.toContain('HF_TOKEN');
    } finally {
      jest.restoreAllMocks();
      await server.stop();
    }
  });

  test('is found by its folder while it lives, and no longer', async () => {
    const own = join(folder, 'found');
    expect(await findRunningServer(own)).toBeUndefined();
    const server = await startServer({ binary: (await findTemporal(() => undefined)).path, folder: own });
    expect(await findRunningServer(own)).toBe(server.address);
    expect(statSync(own).mode & 0o777).toBe(0o700);
    // As after a crash: the file stays, the process does not.
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    expect(existsSync(join(own, 'server.json'))).toBe(true);
    expect(await findRunningServer(own)).toBeUndefined();
    await server.stop();
  });

  test('that may not write its folder says that nothing in it is needed, and how to remove it', () => {
    const own = join(folder, 'read-only');
    mkdirSync(own, { mode: 0o555 });
    chmodSync(folder, 0o755);
    // Root may write everywhere: then somebody who may not starts it.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const module = compileModule('workers/server/temporal-server.ts');
    const starting = `require(${JSON.stringify(module)}).startServer({ binary: 'none', folder: ${JSON.stringify(own)} })`;
    const { status, stderr } = spawnSync('node', ['-e', starting], { encoding: 'utf8', ...nobody });
    expect(status).toBe(1);
    expect(stderr).toContain(`The embedded Temporal server cannot use ${own} (EACCES`);
    expect(stderr).toContain(
      `Nothing in it is needed to continue. Remove it, and run the command again: rm -rf ${own}`,
    );
  });

  test('that cannot open its database names its log, and a new database takes its place', async () => {
    const own = { binary: (await findTemporal(() => undefined)).path, folder: join(folder, 'damaged') };
    const first = await startServer(own);
    await first.stop();
    writeFileSync(join(own.folder, 'temporal.db'), 'no database', { flag: 'r+' });
    // Its pages would be read before the database's.
    for (const log of ['-wal', '-shm']) rmSync(join(own.folder, `temporal.db${log}`), { force: true });
    const failed: unknown = await startServer(own).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ServerFailed);
    expect(isDatabaseAtFault(String(failed), 0)).toBe(true);
    const second = await startServer({ ...own, afresh: true });
    await second.stop();
  });

  acrossNamespaces(
    'waits until a server that another PID namespace left on its folder has ended',
    async () => {
      const own = join(folder, 'namespaces');
      const other = spawn('unshare', ['--pid', '--fork', '--kill-child', 'node', '-e', STARTED_THERE, own], {
        env: { ...process.env, BINARY: (await findTemporal(() => undefined)).path },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [address] = await once(other.stdout.setEncoding('utf8'), 'data');
      expect(await findRunningServer(own)).toBe(address);
      let second: string | undefined;
      const starting = startServer({ binary: (await findTemporal(() => undefined)).path, folder: own });
      void starting.then((server) => (second = server.address));
      await wait(3_000);
      expect(second).toBeUndefined();
      expect(await findRunningServer(own)).toBe(address);
      other.kill('SIGKILL');
      const server = await starting;
      expect(await findRunningServer(own)).toBe(server.address);
      await server.stop();
    },
  );
});

/** A command that starts a server on a folder and keeps running. */
const STARTED_THERE = `
const { startServer } = require(${JSON.stringify(compileModule('workers/server/temporal-server.ts'))});
startServer({ binary: process.env.BINARY, folder: process.argv[1] }).then(({ address }) => process.stdout.write(address));
setInterval(() => undefined, 1000);
`;

/** Starts the real server with a port that another program takes the first few times. */
async function unlucky(name: string, times: number): Promise<{ binary: string; ports: () => number[] }> {
  const { path } = await findTemporal(() => undefined);
  const calls = join(folder, `${name}.calls`);
  const binary = script(
    name,
    `echo "$@" >> '${calls}'
if [ $(wc -l < '${calls}') -le ${times} ]; then
  echo "can't set frontend port: listen tcp: bind: address already in use" >&2
  for line in 1 2 3 4 5 6 7 8; do echo "goroutine $line" >&2; done
  exit 2
fi
exec '${path}' "$@"`,
  );
  const ports = () =>
    [...readFileSync(calls, 'utf8').matchAll(/--port=(\d+)/g)].map(([, port]) => Number(port));
  return { binary, ports };
}

/** Writes a shell script of these lines, and returns its path. */
function script(name: string, lines: string): string {
  const file = join(folder, `${name}.sh`);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Sends a request with exactly these headers, which `fetch` would change. */
async function statusOf(url: string, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, setHost: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', reject);
    sent.end(options.method === 'POST' ? '{}' : undefined);
  });
}
