import { setTimeout as wait } from 'node:timers/promises';
import { openEndpoint, type Endpoint } from '../../../../workers/telemetry/endpoint';

let problems: string[] = [];
let endpoint: Endpoint;

beforeAll(async () => {
  endpoint = await openEndpoint({
    host: '127.0.0.1',
    port: 0,
    metrics: async () => 'cupid_build_info 1\n',
    problems: () => problems,
  });
});
afterAll(() => endpoint.close());

test('a process is alive while it answers, and ready while nothing keeps it from working', async () => {
  problems = ['cupid-1: no lease for the run'];
  expect(await ask('/healthz')).toEqual([200, 'alive\n']);
  expect(await ask('/readyz')).toEqual([503, 'cupid-1: no lease for the run\n']);
  problems = [];
  expect(await ask('/readyz')).toEqual([200, 'ready\n']);
  expect(await ask('/other')).toEqual([404, 'The paths are /metrics, /healthz and /readyz.\n']);
});

test('the last scrape is one that begins after the work', async () => {
  expect(await ask('/metrics')).toEqual([200, 'cupid_build_info 1\n']);
  let isScraped = false;
  const scraped = endpoint.untilScraped().then(() => (isScraped = true));
  await wait(20);
  expect(isScraped).toBe(false);
  await ask('/metrics');
  await scraped;
});

test('nobody is waited for longer than half as long again as the last scrapes were apart', async () => {
  await ask('/metrics');
  await ask('/metrics');
  const start = performance.now();
  await endpoint.untilScraped();
  expect(performance.now() - start).toBeLessThan(5_000);
});

test('a port that is in use is reported with the remedy', async () => {
  const port = Number(new URL(endpoint.url).port);
  const opened = openEndpoint({ host: '127.0.0.1', port, metrics: async () => '', problems: () => [] });
  await expect(opened).rejects.toThrow(
    /^Metrics cannot be served at 127\.0\.0\.1:\d+ \(.*EADDRINUSE.*\)\. Name another port with --telemetry\.$/,
  );
});

async function ask(path: string): Promise<[number, string]> {
  const response = await fetch(`${endpoint.url}${path}`);
  return [response.status, await response.text()];
}
