import { runInstaller } from './installer';
import type { Report } from './part';

/** Installs Temporal's server for clusters and its SQL tool, which deploy/local.sh starts. Returns their directory. */
export function installCluster(report: Report): Promise<string> {
  return runInstaller(['deploy/install-parts', 'temporal'], report);
}
