/** A cluster of processes of this machine (`deploy/local.sh`) to measure on. Linux only. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, timesOf } from './processes.mjs';

/**
 * Starts one with so many workers, each with these options; it ends with this process.
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
    /** The processor time of a part with all processes it started, in seconds. */
    processorSeconds: (part) => sessionSeconds(Number(readFileSync(join(folder, 'run', part), 'utf8'))),
  };
}

function run(...args) {
  return execFileSync(join(ROOT, 'deploy', 'local.sh'), args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** That of all processes of a session, and of their children that have ended. */
function sessionSeconds(session) {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.reduce((sum, pid) => {
    const times = timesOf(pid);
    return times?.session === session ? sum + times.processorSeconds + times.endedChildrenSeconds : sum;
  }, 0);
}
