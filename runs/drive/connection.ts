import { Client, Connection, isGrpcServiceError, type ConnectionOptions } from '@temporalio/client';

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

/** The gRPC code of an error; undefined for any other error. */
export function grpcCode(error: unknown): number | undefined {
  // The client wraps the gRPC error as the cause.
  const grpc = error instanceof Error ? (error.cause ?? error) : error;
  return isGrpcServiceError(grpc) ? grpc.code : undefined;
}

/** True for the gRPC errors of a server that is busy or unavailable for a moment. */
export function isPassing(error: unknown): boolean {
  const code = grpcCode(error);
  return code !== undefined && PASSING.has(code);
}

/** For `catch`: a server that is unavailable for a moment gives no answer; other errors are thrown. */
export function undefinedIfPassing(error: unknown): undefined {
  if (!isPassing(error)) throw error;
}

/** gRPC codes: deadline exceeded, resource exhausted, unavailable. */
const PASSING: ReadonlySet<number> = new Set([4, 8, 14]);
