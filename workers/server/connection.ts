import type { KeyObject } from 'node:crypto';
import { Client, Connection, WorkflowNotFoundError, type ConnectionOptions } from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { createSigningCodec, throwForeign } from '../signed-payloads';
import { STAMPING } from '../stamps';
import { isLoopback, parseClusterAddress } from './cluster-address';

/** Connection to a Temporal service, for clients and workers. */
export interface Service {
  readonly connection: Pick<
    NativeConnectionOptions & ConnectionOptions,
    'address' | 'tls' | 'metadata' | 'apiKey'
  >;
  readonly namespace: string;
  /** Signs all values and messages on the embedded engine, whose port is open to all users of the machine. */
  readonly key?: KeyObject;
}

/** A Temporal service on which runs can be started. */
export interface NamedService extends Service {
  /** Identifier in `run.json`: `embedded`, or address and namespace. */
  readonly id: string;
  /** Name in messages. */
  readonly name: string;
}

/** A Temporal service for runs: the embedded one, which ends when it is disposed of, or a cluster. */
export interface Engine extends NamedService, AsyncDisposable {
  /** Watch over the database of the embedded one; absent for a cluster. */
  readonly database?: EngineDatabase;
}

interface EngineDatabase {
  /** Rejects with EngineDamaged when the database has become unusable; never resolves. */
  readonly damaged: Promise<never>;
  /** @throws EngineDamaged when the log of the server names damage */
  check(): Promise<void>;
}

/**
 * Connects to a Temporal service. Unlike the SDK's own `connect`, it closes its channel when it fails. @throws Error when the service does
 * not answer
 */
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

/**
 * Bypasses the proxy of `https_proxy` for this machine: gRPC would use it even here, and a company's proxy never finds the embedded server.
 */
function chooseRoute(address: string | undefined): ConnectionOptions['channelArgs'] {
  const isLocal = address !== undefined && isLoopback(parseClusterAddress(address).host);
  return isLocal ? { 'grpc.enable_http_proxy': 0 } : {};
}

/** Creates a client of a Temporal service, which signs its messages if the service has a key. */
function createClient(connection: Connection, service: Omit<Service, 'connection'>): Client {
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

/**
 * Connects a client that repeats no request. A retry that is still waiting when the connection is closed would throw an error that nothing
 * catches.
 */
export async function connectWithoutRetries(
  service: Service,
  options: Pick<ConnectionOptions, 'connectTimeout'> = {},
): Promise<Client> {
  return createClient(await connectTo({ ...service.connection, ...options, interceptors: [] }), service);
}

/** Uses a client of a Temporal service, and closes its connection. @throws Error when the service does not answer */
export async function useClient<T>(service: Service, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await connectTo(service.connection);
  try {
    return await use(createClient(connection, service));
  } finally {
    await connection.close();
  }
}

/** Returns undefined for the error of a workflow that does not exist or has ended; throws every other error. For `catch`. */
export function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
