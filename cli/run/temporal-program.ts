import { findTemporal, type TemporalBinary } from '../../workers/server/temporal-binary';
import { waitUntilInterrupted } from '../interrupt';

/**
 * Prepares the Temporal server's program. Ctrl-C ends its download or build and leaves nothing behind.
 * @throws TemporalNotFound
 */
export async function prepareTemporal(
  report: (line: string) => void,
): Promise<TemporalBinary | 'interrupted'> {
  const stop = new AbortController();
  const finding = findTemporal(report, stop.signal);
  const found = await waitUntilInterrupted(finding, () => stop.abort(), 'Stopped.');
  if (found !== 'interrupted') return found;
  await finding.catch(() => undefined);
  report('Stopped. Nothing was started.');
  return found;
}
