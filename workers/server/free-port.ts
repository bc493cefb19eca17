import { createServer } from 'node:net';

/**
 * Starts a server on a free port. Another program may take the port first, so up to three are tried.
 * @param isTaken whether an error means that; any other is thrown at once
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

/** Finds a free port by letting the system assign one. */
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
