import { findRun, type Cluster, type Engines, type FoundRun } from '../client/find-run';
import { clusterChosen } from '../workers/engine';
import { findTemporal, type TemporalBinary } from '../workers/temporal-binary';
import { runningServer } from '../workers/temporal-server';
import { untilInterrupted } from './interrupt';

/** Looks up the run named on the command line, anew at each call. */
export function finderOf(name: string, profile: string | undefined): () => Promise<FoundRun> {
  const engines = enginesFor(profile);
  return () => findRun(name, engines);
}

/** What can be reached from here: embedded servers of this machine, and the cluster that was chosen. */
export function enginesFor(profile: string | undefined): Engines {
  if (!clusterChosen(profile)) return { embedded: runningServer };
  let known: Promise<Cluster> | undefined;
  return {
    embedded: runningServer,
    async cluster() {
      const { connectCluster } = await import('../workers/cluster.js');
      // Checked once only: whether it answers at this moment is found out by using it.
      known ??= connectCluster(profile);
      try {
        return await known;
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
  };
}

/** The Temporal server's program. Ctrl-C ends a download or a build of it, and leaves nothing behind. @throws TemporalNotFound */
export async function temporalProgram(
  report: (line: string) => void,
): Promise<TemporalBinary | 'interrupted'> {
  const stop = new AbortController();
  const finding = findTemporal(report, stop.signal);
  const found = await untilInterrupted(finding, () => stop.abort(), 'Stopped.');
  if (found !== 'interrupted') return found;
  await finding.catch(() => undefined);
  report('Stopped. Nothing was started.');
  return found;
}
