import { Connection, type ConnectionOptions } from '@temporalio/client';

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
