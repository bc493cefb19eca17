import { findRun, type Cluster, type Engines, type FoundRun } from '../client/find-run';
import { clusterChosen, connectCluster } from '../workers/engine';
import { runningServer } from '../workers/temporal-server';

/** Looks for the run that was named on the command line, each time anew. */
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
      // It was checked once; whether it answers just now is another question.
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
