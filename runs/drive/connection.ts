import { Client, Connection, type ConnectionOptions } from '@temporalio/client';

/** Connects to a Temporal service. The SDK's own `connect` leaves its channel open when it fails. @throws Error when it does not answer */
export async function connectTo(options: ConnectionOptions): Promise<Connection> {
  const connection = Connection.lazy(options);
  try {
    await connection.ensureConnected();
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Does something with a client of a Temporal service, and closes its connection. @throws Error when the service does not answer */
export async function useClient<T>(
  service: { readonly connection: ConnectionOptions; readonly namespace: string },
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = await connectTo(service.connection);
  try {
    return await use(new Client({ connection, namespace: service.namespace }));
  } finally {
    await connection.close();
  }
}
