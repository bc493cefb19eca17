import { findTemporal, type TemporalBinary } from '../../workers/server/temporal-binary';

/** Shows lines to the user, and passes on interruptions. */
export interface Interruption {
  readonly report: (line: string) => void;
  /**
   * Waits for the work; if the user interrupts it, calls `stop`.
   * @param message shown when a second interruption ends the process
   */
  readonly untilInterrupted: <T>(
    work: Promise<T>,
    stop: () => void,
    message?: string,
  ) => Promise<T | 'interrupted'>;
}

/**
 * Finds the Temporal server's program. An interruption ends its download or build, and leaves nothing behind.
 * @throws TemporalNotFound
 */
export async function findServer({
  report,
  untilInterrupted,
}: Interruption): Promise<TemporalBinary | 'interrupted'> {
  const stop = new AbortController();
  const finding = findTemporal(report, stop.signal);
  const binary = await untilInterrupted(finding, () => stop.abort(), 'Stopped.');
  if (binary !== 'interrupted') return binary;
  await finding.catch(() => undefined);
  report('Stopped. Nothing was started.');
  return binary;
}
