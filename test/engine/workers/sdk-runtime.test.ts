import { createServer } from 'node:http';
import { once } from 'node:events';
import { Runtime } from '@temporalio/worker';
import { installRuntime } from '../../../workers/sdk-runtime';
import { findFreePort } from '../../../workers/server/temporal-server';
import { openTelemetry } from '../../../workers/telemetry/telemetry';

jest.mock('../../../workers/server/temporal-server', () => ({ findFreePort: jest.fn() }));
const { findFreePort: findReally } = jest.requireActual<
  typeof import('../../../workers/server/temporal-server')
>('../../../workers/server/temporal-server');

test("the SDK's metrics get another port where another program was faster to take the first", async () => {
  const faster = createServer((_, response) => response.end('of another program'));
  const [taken, free] = [await findReally(), await findReally()];
  faster.listen(taken, '127.0.0.1');
  await once(faster, 'listening');
  jest.mocked(findFreePort).mockResolvedValueOnce(taken).mockResolvedValueOnce(free);
  const telemetry = await openTelemetry({ host: '127.0.0.1', port: 0 }, {});
  try {
    await installRuntime(() => undefined, telemetry);
    expect((await fetch(`http://127.0.0.1:${free}/metrics`)).status).toBe(200);
    expect(await (await fetch(`${telemetry.url}/metrics`)).text()).not.toContain('of another program');
    // The runtime is there once: whoever comes later uses it.
    await installRuntime(() => undefined, telemetry);
    expect(findFreePort).toHaveBeenCalledTimes(2);
  } finally {
    await telemetry.close();
    faster.close();
    await Runtime.instance().shutdown();
  }
});
