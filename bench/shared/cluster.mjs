/** A cluster of processes on this machine (`deploy/local.sh`) for measurements. Linux only. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, timesOf } from './processes.mjs';

/**
 * Starts a cluster with this many workers and these options for each; it ends with this process.
 * @param port the first of its ports
 */
export function startCluster({ workers, options = [], port = 7600 }) {
  const folder = mkdtempSync(join(tmpdir(), 'cupid-bench-cluster-'));
  const inFolder = ['--folder', folder];
  process.on('exit', () => {
    run('down', ...inFolder);
    rmSync(folder, { recursive: true, force: true });
  });
  const printed = run(
    'up',
    ...inFolder,
    '--workers',
    String(workers),
    '--port',
    String(port),
    '--',
    ...options,
  ).matchAll(/^export (\w+)=(.*)$/gm);
  const { CUPID_STORE: store, ...environment } = Object.fromEntries(
    [...printed].map(([, name, text]) => [name, text]),
  );
  return {
    folder,
    port,
    store,
    environment,
    /** Starts, stops, kills or restarts a part. */
    do: (command, part) => run(command, part, ...inFolder),
    /** Dumps the server's database, one table at a time, in binary form. */
    *dumpDatabase() {
      const [, password] = /database_password="?(\w+)/.exec(readFileSync(join(folder, 'settings'), 'utf8'));
      const sql = (database, statement) =>
        execFileSync(
          'psql',
          [
            '--no-psqlrc',
            '--tuples-only',
            '--no-align',
            '--command',
            statement,
            `--dbname=${database}`,
            '--host=127.0.0.1',
            `--port=${port + 10}`,
            '--username=temporal',
          ],
          { env: { ...process.env, PGPASSWORD: password }, maxBuffer: 2 ** 31 },
        );
      for (const database of ['temporal', 'temporal_visibility']) {
        const tables = sql(database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
        for (const table of tables.toString().trim().split('\n')) {
          yield sql(database, `COPY ${table} TO STDOUT (FORMAT binary)`);
        }
      }
    },
    /** Returns the processor time of a part and of all processes that it started, in seconds. */
    processorSeconds: (part) => sessionSeconds(Number(readFileSync(join(folder, 'run', part), 'utf8'))),
  };
}

function run(...args) {
  return execFileSync(join(ROOT, 'deploy', 'local.sh'), args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Adds up the processor time of a session's processes, of PostgreSQL's, which have sessions of their own, and of their ended children. */
function sessionSeconds(session) {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.reduce((sum, pid) => {
    const times = timesOf(pid);
    const belongs = times?.session === session || times?.parent === session;
    return belongs ? sum + times.processorSeconds + times.endedChildrenSeconds : sum;
  }, 0);
}
