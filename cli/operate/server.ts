import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVALUATION, openRunFolder, RunNotFound, SYNTHESIS } from '../../runs/folder/run-folder';
import { lockRunFolder } from '../../runs/folder/run-lock';
import { getLogFile } from '../../workers/server/server-log';
import { ServerFailed, startServer } from '../../workers/server/temporal-server';
import { findServer } from '../../runs/drive/find-server';
import { quotePath } from '../../schemas/text/shell-text';
import { EXIT, UsageError } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import { printMessage } from '../output';

interface ServerOptions {
  readonly outputDir?: string;
  readonly resultsDir?: string;
  readonly port: number;
  readonly uiPort: number;
}

/** Runs `cupid server`: the embedded server in the foreground, until Ctrl-C. Returns the exit code. */
export async function runServer(options: ServerOptions): Promise<number> {
  const { port, uiPort } = options;
  if (port === uiPort) {
    throw new UsageError(
      `--port and --ui-port are both ${port}. The server and its UI need a port each: name another one.`,
    );
  }
  await using place = await getServerFolder(options);
  const binary = await findServer({ report: printMessage, untilInterrupted: waitUntilInterrupted });
  if (binary === 'interrupted') return EXIT.interrupted;
  const running = await startServer({ binary: binary.path, folder: place.folder, port, uiPort }).catch(
    (error: unknown) => {
      if (!(error instanceof ServerFailed)) throw error;
      throw new Error(
        `${error.message}\nIf its database is damaged, delete it: rm -r ${quotePath(place.folder)}. That loses histories of workflows, which a run does not need to continue.`,
        { cause: error },
      );
    },
  );
  printMessage(
    `Temporal server ${binary.server} at ${running.address}, UI at http://127.0.0.1:${uiPort}. Press Ctrl-C to stop it.`,
  );
  const outcome = await waitUntilInterrupted(running.exited, () => printMessage('Stopping.'));
  await running.stop();
  if (outcome === 'interrupted') return EXIT.done;
  throw new Error(`The embedded Temporal server ended unexpectedly. Its log is ${getLogFile(place.folder)}.`);
}

async function getServerFolder({
  outputDir,
  resultsDir,
}: ServerOptions): Promise<AsyncDisposable & { folder: string }> {
  const name = outputDir ?? resultsDir;
  if (name === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'cupid-server-'));
    return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  }
  const kind = outputDir === undefined ? EVALUATION : SYNTHESIS;
  const run = await openRunFolder<unknown, unknown>(kind, name);
  if (run.run === undefined) throw new RunNotFound(`${run.path} contains no run. Name a run folder.`);
  const lock = await lockRunFolder(run, undefined, 'server');
  return { folder: run.engine, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() };
}
