import { readFile } from 'node:fs/promises';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import * as z from 'zod';
import { getPart } from '../parts/needing';
import type { Running } from './command';
import { startCommand, untilSaid } from './processes';

/** Starts the browser without a window. */
export async function openBrowser(): Promise<Browser> {
  // Its sandbox needs a user other than root, and namespaces that containers often lack. The pages are our own.
  return chromium.launch({
    executablePath: getPart('browser'),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/** A page, and all that its browser complains of: errors, blocked content, requests that fail. */
export interface WatchedPage {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** Opens an address in a new profile. Whatever a test waits for there must appear within two minutes. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  // A browser beside other tests may take longer than the 30 s of the library.
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  await page.goto(url);
  return { page, complaints };
}

/** Time that a busy machine needs for anything on a page. What never appears fails the test long before the limit of Jest. */
const WAIT_MS = 2 * 60_000;

/** Lists the violations of accessibility rules that axe finds, a line each. */
export async function listViolations(page: Page): Promise<string[]> {
  // By the debugger's way, which a Content-Security-Policy does not stop.
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations } = resultsSchema.parse(await page.evaluate('axe.run()'));
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}

const resultsSchema = z.object({
  violations: z.array(
    z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
  ),
});

/** Starts a command that serves a page, and returns the link that it prints; `endLeftovers` ends it when a test does not. */
export async function startPage(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ readonly url: string; readonly running: Running }> {
  const running = startCommand(args, environment);
  let printed = '';
  running.child.stdout?.on('data', (text: string) => (printed += text));
  await untilSaid(running, 'Open this link');
  return { url: printed.trim(), running };
}
