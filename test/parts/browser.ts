import { runInstaller } from './installer';
import type { Report } from './part';

/** Installs Chromium or Chrome with a script, because docs/screenshots.mjs and bench/ use it as well. */
export function installBrowser(report: Report): Promise<string> {
  return runInstaller([process.execPath, 'test/parts/install-browser.mjs'], report);
}
