import { runInstaller } from './installer';
import type { Report } from './part';

/** The directory of PostgreSQL's programs, which deploy/local.sh starts. */
export function installPostgres(report: Report): Promise<string> {
  return runInstaller(['deploy/install-parts', 'postgres'], report);
}
