import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { pickDataConverter } from '../../workers/data-converter';

/** A Temporal service, and whether the values of the run in question are encrypted there. */
interface ClientService {
  readonly connection: ConnectionOptions;
  readonly namespace: string;
  readonly isEncrypted?: boolean;
}

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

/** A client of a Temporal service. @throws EncryptionError when the environment's keys are not of their form */
export function createClient(connection: Connection, service: Omit<ClientService, 'connection'>): Client {
  return new Client({ connection, namespace: service.namespace, ...pickDataConverter(service) });
}

/** Does something with a client of a Temporal service, and closes its connection. @throws Error when the service does not answer */
export async function useClient<T>(service: ClientService, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await connectTo(service.connection);
  try {
    return await use(createClient(connection, service));
  } finally {
    await connection.close();
  }
}
