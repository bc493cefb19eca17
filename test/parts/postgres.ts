import { runInstaller } from './installer';
import type { Report } from './part';

/** Installs PostgreSQL's programs, which deploy/local.sh starts. Returns their directory. */
export function installPostgres(report: Report): Promise<string> {
  return runInstaller(['deploy/install-parts', 'postgres'], report);
}
