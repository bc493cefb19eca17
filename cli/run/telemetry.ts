import { isTracing } from '../../workers/telemetry/trace-settings';
import type { EndpointAddress } from '../../workers/telemetry/endpoint';
import type { Telemetry } from '../../workers/telemetry/telemetry';
import { waitUntilInterrupted } from '../interrupt';

/**
 * Runs a command with telemetry: metrics and health at an address, traces as the environment configures. Serves until
 * one more scrape of the metrics, which would otherwise miss the last counts.
 * @param say prints a line for the user
 */
export async function withTelemetry(
  address: EndpointAddress | undefined,
  say: (line: string) => void,
  command: (telemetry: Telemetry | undefined) => Promise<number>,
): Promise<number> {
  if (address === undefined && !isTracing(process.env)) return command(undefined);
  const { openTelemetry } = await import('../../workers/telemetry/telemetry.js');
  const telemetry = await openTelemetry(address, process.env);
  const { url } = telemetry;
  if (url !== undefined) say(`Metrics: ${url}/metrics`);
  try {
    const code = await command(telemetry);
    if (url !== undefined) {
      say('Waiting for a last scrape of the metrics. Press Ctrl-C to end now.');
      await waitUntilInterrupted(telemetry.untilScraped(), () => undefined);
    }
    return code;
  } finally {
    await telemetry.close();
  }
}
