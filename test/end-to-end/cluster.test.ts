import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import * as z from 'zod';
import { listen } from '../ports';
import { startStandIn } from '../stand-in/chat-server';
import { setUpCluster } from '../temporal-cluster';
import { hashDataSets, type Ended } from './command';
import { createTemporaryFolder } from '../temporary-folder';
import { countJournalEntries, untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { endLeftovers, startCommand, interrupt } from './processes';

const folder = createTemporaryFolder();
const cluster = setUpCluster(join(folder, 'cluster'));
afterEach(endLeftovers);

describe('a cluster is chosen, never stumbled upon', () => {
  test('TEMPORAL_ADDRESS chooses it: the start names it, the run is there, and the data are the same', async () => {
    const ended = await synth('on-cluster', { TEMPORAL_ADDRESS: cluster.address });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('2 personas, 6 instances') });
    expect(startLine(ended)).toMatch(
      new RegExp(
        `^Starting run cupid-\\w+ on the Temporal cluster ${cluster.address}, namespace default\\.$`,
      ),
    );
    expect(await isCompleted(join(folder, 'on-cluster', 'run.json'))).toBe(true);
    expect(existsSync(join(folder, 'on-cluster', '.cupid', 'engine'))).toBe(false);

    const alone = await synth('embedded', {});
    expect(alone.code).toBe(0);
    expect(await hashDataSets(join(folder, 'on-cluster'))).toEqual(
      await hashDataSets(join(folder, 'embedded')),
    );
  });

  test('a profile chooses it, and the namespace with it', async () => {
    const config = join(folder, 'temporal.toml');
    writeFileSync(config, `[profile.house]\naddress = "${cluster.address}"\nnamespace = "default"\n`);
    const ended = await synth('by-profile', { TEMPORAL_CONFIG_FILE: config }, '--profile', 'house');
    expect(ended.code).toBe(0);
    expect(startLine(ended)).toContain(`on the Temporal cluster ${cluster.address}, namespace default.`);
    expect(await isCompleted(join(folder, 'by-profile', 'run.json'))).toBe(true);
  });

  test("without them nothing connects to where Temporal's servers usually listen", async () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    // On all of this machine's addresses.
    await once(listener.listen(7233), 'listening').catch((cause: unknown) => {
      throw new Error('This test needs port 7233 for itself. Stop what listens there.', { cause });
    });
    const ended = await synth('stumbling', { TEMPORAL_CONFIG_FILE: join(folder, 'temporal.toml') });
    await new Promise((resolve) => listener.close(resolve));
    expect(ended.code).toBe(0);
    expect(startLine(ended)).toContain('on the embedded Temporal server');
    expect(connections).toBe(0);
  });

  test('a run stopped on it grows there, and continues embedded, without losing a persona', async () => {
    // In this process, so that no run comes to its end while this waits for its turn.
    await using standIn = await startStandIn({ latency: 150 });
    const run = join(folder, 'moved');
    const commandFor = (personas: number) => {
      const options = [`--model=${standIn.spec}`, `--n-personas=${personas}`, ...SIZE];
      return ['synth', '--output-dir', run, ...options];
    };
    for (const personas of [4, 5]) {
      const running = startCommand(commandFor(personas), { TEMPORAL_ADDRESS: cluster.address });
      await untilJournalHas(run, (await countJournalEntries(run)) + 60, running);
      await interrupt(running);
    }
    standIn.latency = 0;
    expect(await runLoaded(commandFor(5))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('5 personas, 15 instances, no failures.'),
    });
  });

  test('one that is too old is refused by name, and nothing is written (exit 1)', async () => {
    const old = oldServer('1.24.2');
    const address = `127.0.0.1:${await listen(old)}`;
    const ended = await synth('too-old', { TEMPORAL_ADDRESS: address });
    await new Promise((resolve) => old.close(resolve));
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(
      `The Temporal cluster at ${address} runs server 1.24.2, but 1.29.0 or newer is needed. Upgrade it, or unset TEMPORAL_ADDRESS`,
    );
    expect(existsSync(join(folder, 'too-old'))).toBe(false);
  });
});

/** Short journeys of short dialogues: where a run is does not depend on them. */
const SIZE = ['--n-sessions=9', '--max-turns=3'];

async function synth(
  name: string,
  environment: Record<string, string>,
  ...more: readonly string[]
): Promise<Ended> {
  const options = ['--model', 'simulated:default', '--n-personas', '2', ...SIZE, ...more];
  return runLoaded(['synth', '--output-dir', join(folder, name), ...options], environment);
}

const idSchema = z.object({ id: z.string() });

/** Returns the line that says where a run starts. */
function startLine({ stderr }: Ended): string {
  return stderr.split('\n').find((line) => line.startsWith('Starting run ')) ?? '';
}

/** Returns whether the run or review whose id is in this file is a completed workflow of the cluster. */
async function isCompleted(file: string): Promise<boolean> {
  const { id } = idSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const connection = await Connection.connect({ address: cluster.address });
  try {
    const { status } = await new Client({ connection }).workflow.getHandle(id).describe();
    return status.name === 'COMPLETED';
  } finally {
    await connection.close();
  }
}

/** Creates a frontend that answers every call with its version, as GetSystemInfo does. */
function oldServer(version: string): Server {
  const server = createHttp2Server();
  server.on('stream', (stream) => {
    const message = Buffer.from([0x0a, version.length, ...Buffer.from(version)]);
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.concat([frame, message]));
  });
  return server;
}
