import type { KeyObject } from 'node:crypto';
import { Client, Connection, WorkflowNotFoundError, type ConnectionOptions } from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { createSigningCodec, throwForeign } from '../signed-payloads';
import { STAMPING } from '../stamps';
import { isLoopback, parseClusterAddress } from './cluster-address';

/** Where a Temporal service answers clients and workers. */
export interface Service {
  readonly connection: Pick<
    NativeConnectionOptions & ConnectionOptions,
    'address' | 'tls' | 'metadata' | 'apiKey'
  >;
  readonly namespace: string;
  /** Signs all values and messages: on the embedded engine, whose port is open to all users of the machine. */
  readonly key?: KeyObject;
}

/** A Temporal service that runs can be started on. */
export interface NamedService extends Service {
  /** Identifies it, as `run.json` does: `embedded`, or address and namespace. */
  readonly id: string;
  /** How messages name it. */
  readonly name: string;
}

/** A Temporal service to run on: embedded, which ends when it is disposed of, or a cluster. */
export interface Engine extends NamedService, AsyncDisposable {}

/** Connects to a Temporal service. The SDK's own `connect` leaves its channel open when it fails. @throws Error when it does not answer */
export async function connectTo(options: ConnectionOptions): Promise<Connection> {
  const { address, channelArgs } = options;
  const connection = Connection.lazy({
    ...options,
    channelArgs: { ...chooseRoute(address), ...channelArgs },
  });
  try {
    await connection.ensureConnected();
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** gRPC goes through the proxy that `https_proxy` names, also to this machine, where a proxy of a company never finds the embedded server. */
function chooseRoute(address: string | undefined): ConnectionOptions['channelArgs'] {
  const isLocal = address !== undefined && isLoopback(parseClusterAddress(address).host);
  return isLocal ? { 'grpc.enable_http_proxy': 0 } : {};
}

/** Creates a client of a Temporal service, which signs what it sends where the service has a key. */
export function createClient(connection: Connection, service: Omit<Service, 'connection'>): Client {
  return new Client({
    connection,
    namespace: service.namespace,
    ...(service.key === undefined
      ? {}
      : {
          dataConverter: { payloadCodecs: [createSigningCodec(service.key, throwForeign)] },
          interceptors: { workflow: [STAMPING] },
        }),
  });
}

/** Does something with a client of a Temporal service, and closes its connection. @throws Error when the service does not answer */
export async function useClient<T>(service: Service, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await connectTo(service.connection);
  try {
    return await use(createClient(connection, service));
  } finally {
    await connection.close();
  }
}

/** For `catch`: a workflow that does not exist, or has ended, gives no answer; other errors are thrown. */
export function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
