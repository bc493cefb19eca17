/**
 * Reason for a failed request to Temporal. `unavailable` is temporary (busy, starting, too slow). `permanent` does not change by waiting (an
 * invalid argument, a missing permission, an unknown method, no login).
 */
type GrpcFailure = 'unavailable' | 'not-found' | 'permanent' | 'other';

/** Classifies a gRPC error, also where the client wraps it; undefined for any other error. */
export function classifyGrpcError(error: unknown): GrpcFailure | undefined {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = findGrpcCode(cause);
  return code === undefined ? undefined : (FAILURES[code] ?? 'other');
}

/** Returns the code of a gRPC error. It is recognized as the client does, because workflow code cannot import the client. */
function findGrpcCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'details' in error && 'metadata' in error && 'code' in error))
    return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}

/** Returns undefined for a temporarily unavailable server, and throws other errors. For use in `catch`. */
export function ignoreUnavailable(error: unknown): undefined {
  if (classifyGrpcError(error) !== 'unavailable') throw error;
}

const FAILURES: Readonly<Record<number, GrpcFailure>> = {
  // After the deadline of a request, the server may report it as cancelled before the client notices.
  1: 'unavailable',
  3: 'permanent',
  4: 'unavailable',
  5: 'not-found',
  7: 'permanent',
  8: 'unavailable',
  12: 'permanent',
  14: 'unavailable',
  16: 'permanent',
};
