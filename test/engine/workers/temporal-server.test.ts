import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTemporal } from '../../../workers/temporal-binary';
import { freePort, runningServer, startServer } from '../../../workers/temporal-server';
import { temporaryFolder } from '../../temporary-folder';

jest.setTimeout(60_000);

const folder = temporaryFolder();

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
    const port = await freePort();
    const server = await startServer({ binary, folder: join(folder, 'named'), port });
    try {
      // What it lost may have been one of those that it picks by itself.
      expect(ports()).toEqual([port, port]);
      expect(server.port).toBe(port);
    } finally {
      await server.stop();
    }
  });

  test('is found by its folder while it lives, and no longer', async () => {
    const own = join(folder, 'found');
    expect(await runningServer(own)).toBeUndefined();
    const server = await startServer({ binary: (await findTemporal(() => undefined)).path, folder: own });
    expect(await runningServer(own)).toBe(server.address);
    // As a crash leaves it: the file stays, the process does not.
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    expect(existsSync(join(own, 'server.json'))).toBe(true);
    expect(await runningServer(own)).toBeUndefined();
    await server.stop();
  });
});

/** The real server, which loses a port to another program the first few times, and ends with its stack. */
async function unlucky(name: string, times: number): Promise<{ binary: string; ports: () => number[] }> {
  const { path } = await findTemporal(() => undefined);
  const binary = join(folder, `${name}.sh`);
  const calls = join(folder, `${name}.calls`);
  writeFileSync(
    binary,
    `#!/bin/sh
echo "$@" >> '${calls}'
if [ $(wc -l < '${calls}') -le ${times} ]; then
  echo "can't set frontend port: listen tcp: bind: address already in use" >&2
  for line in 1 2 3 4 5 6 7 8; do echo "goroutine $line" >&2; done
  exit 2
fi
exec '${path}' "$@"
`,
  );
  chmodSync(binary, 0o755);
  const ports = () =>
    [...readFileSync(calls, 'utf8').matchAll(/--port=(\d+)/g)].map(([, port]) => Number(port));
  return { binary, ports };
}
