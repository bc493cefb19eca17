import { createServer } from 'node:http';
import { once } from 'node:events';
import { Runtime } from '@temporalio/worker';
import * as z from 'zod';
import { installRuntime, isRoutine, isUnreachable, ServerOutages } from '../../../workers/sdk-runtime';
import { openTelemetry } from '../../../workers/telemetry/telemetry';
import { findOwnPort } from '../../ports';

const COMPLETING = 'Error while completing workflow activation';

test("the SDK's metrics get another port where another program took the first one", async () => {
  const faster = createServer((_, response) => response.end('of another program'));
  const taken = await findOwnPort();
  faster.listen(taken, '127.0.0.1');
  await once(faster, 'listening');
  const install = Runtime.install.bind(Runtime);
  const telemetryOptions = { metrics: { prometheus: { bindAddress: `127.0.0.1:${taken}` } } };
  const installing = jest
    .spyOn(Runtime, 'install')
    .mockImplementationOnce((options) => install({ ...options, telemetryOptions }));
  const telemetry = await openTelemetry({ host: '127.0.0.1', port: 0 }, {});
  try {
    await installRuntime(() => undefined, telemetry);
    const [, [chosen]] = z.tuple([z.unknown(), z.tuple([installedSchema])]).parse(installing.mock.calls);
    const { bindAddress } = chosen.telemetryOptions.metrics.prometheus;
    expect((await fetch(`http://${bindAddress}/metrics`)).status).toBe(200);
    expect(await (await fetch(`${telemetry.url}/metrics`)).text()).not.toContain('of another program');
    // The runtime is installed once, and later callers use it.
    await installRuntime(() => undefined, telemetry);
    expect(installing).toHaveBeenCalledTimes(2);
  } finally {
    await telemetry.close();
    faster.close();
    await Runtime.instance().shutdown();
  }
});

test.each([
  ['No workflows registered, not polling for workflow tasks', true],
  [
    'Activity not found on completion. This may happen if the activity has already been cancelled but completed anyway.',
    true,
  ],
  [
    'shutdown_worker rpc errored during worker shutdown: Status { code: Cancelled, message: "operation was canceled" }',
    true,
  ],
  ['[TMPRL1104] 01a230bc:36:1 Workflow task duration exceeded 5 seconds.', true],
  ['Failed to poll for workflow task', false],
])('of what the SDK says, only what is not routine reaches the user: %s', (message, routine) => {
  expect(isRoutine(message)).toBe(routine);
});

test.each([
  ['Network error while completing activity', '', true],
  ['gRPC call failed', 'Status { code: Unavailable, message: "tcp connect error" }', true],
  [COMPLETING, `code: 'The service is currently unavailable', message: "tcp connect error"`, true],
  [COMPLETING, `code: 'Unknown error', message: "transport error"`, true],
  [
    COMPLETING,
    `code: 'Client specified an invalid argument', message: "BadScheduleActivityAttributes"`,
    false,
  ],
])('only an unreachable server is a part of its outage: %s, %s', (message, error, unreachable) => {
  expect(isUnreachable(message, { error })).toBe(unreachable);
});

test.each([
  ['a server that ends with its command', [0, 1, 5, 15, 20], []],
  ['one that is away for longer', [0, 10, 20, 31, 32, 90, 140], [31]],
  ['two outages', [0, 31, 40, 200, 210, 240], [31, 240]],
])('an unreachable server is reported once for each outage that lasts: %s', (_, seconds, reported) => {
  const outages = new ServerOutages();
  expect(seconds.filter((second) => outages.record(second * 1_000))).toEqual(reported);
});

const installedSchema = z.object({
  telemetryOptions: z.object({ metrics: z.object({ prometheus: z.object({ bindAddress: z.string() }) }) }),
});
