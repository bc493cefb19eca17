import { runInstaller } from './installer';
import type { Report } from './part';

/** Installs the Versity S3 Gateway, which deploy/local.sh starts as well. */
export function installStorage(report: Report): Promise<string> {
  return runInstaller(['deploy/install-parts', 'storage'], report);
}
