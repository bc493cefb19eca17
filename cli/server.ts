import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVALUATION, lockRunFolder, openRunFolder, RunNotFound, SYNTHESIS } from '../client/run-folder';
import { findTemporal } from '../workers/temporal-binary';
import { startServer } from '../workers/temporal-server';
import { EXIT } from './exit';
import { untilInterrupted } from './interrupt';
import { say } from './output';

/** `cupid server`: the embedded server in the foreground, until Ctrl-C. Returns the exit code. */
export async function server(options: {
  readonly outputDir?: string;
  readonly resultsDir?: string;
  readonly port: number;
  readonly uiPort: number;
}): Promise<number> {
  await using place = await placeFor(options);
  const binary = await findTemporal(say);
  const { port, uiPort } = options;
  const running = await startServer({ binary: binary.path, folder: place.folder, port, uiPort });
  say(
    `Temporal server ${binary.server} at ${running.address}, UI at http://127.0.0.1:${uiPort}. Ctrl-C stops it.`,
  );
  const ended = await untilInterrupted(running.exited, () => say('Stopping.'));
  await running.stop();
  if (ended === 'interrupted') return EXIT.done;
  throw new Error(`The server ended by itself; its log is ${join(place.folder, 'server.log')}.`);
}

async function placeFor({
  outputDir,
  resultsDir,
}: {
  readonly outputDir?: string;
  readonly resultsDir?: string;
}): Promise<AsyncDisposable & { folder: string }> {
  if (outputDir === undefined && resultsDir === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'cupid-server-'));
    return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  }
  const run =
    outputDir === undefined
      ? await openRunFolder(EVALUATION, resultsDir ?? '')
      : await openRunFolder(SYNTHESIS, outputDir);
  if (run.run === undefined) throw new RunNotFound(`${run.path} contains no run. Name a run folder.`);
  const lock = await lockRunFolder(run);
  return { folder: run.engine, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() };
}
