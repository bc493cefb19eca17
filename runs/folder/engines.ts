import { findRun, type Cluster, type Engines, type FoundRun } from './find-run';
import { connectChosenCluster, isClusterChosen } from '../../workers/server/engine';
import { findRunningServer } from '../../workers/server/temporal-server';

/** Looks up the run named on the command line, again at each call. */
export function createRunFinder(name: string, profile: string | undefined): () => Promise<FoundRun> {
  const engines = findEngines(profile);
  return () => findRun(name, engines);
}

/** What can be reached from here: embedded servers of this machine, and the cluster that was chosen. */
export function findEngines(profile: string | undefined): Engines {
  if (!isClusterChosen(profile)) return { embedded: findRunningServer };
  let known: Promise<Cluster> | undefined;
  return {
    embedded: findRunningServer,
    async cluster() {
      // Checked once only: whether it answers at this moment is found out by using it.
      known ??= connectChosenCluster(profile);
      try {
        return await known;
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
  };
}
