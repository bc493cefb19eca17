import { createServer } from 'node:net';

/**
 * Starts something on a free port. Another program may take that port first, so up to three are tried.
 * @param isTaken whether this error says so; any other is thrown at once
 */
export async function startOnFreePort<T>(
  start: (port: number) => T | Promise<T>,
  isTaken: (error: unknown) => boolean,
): Promise<T> {
  for (let triesLeft = PORTS_TRIED; ; triesLeft -= 1) {
    const port = await findFreePort();
    try {
      return await start(port);
    } catch (error) {
      if (triesLeft === 1 || !isTaken(error)) throw error;
    }
  }
}

const PORTS_TRIED = 3;

/** Returns a free port, as the system assigns it. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string')
    throw new Error('The system assigned no port. Run the command again.');
  return address.port;
}
