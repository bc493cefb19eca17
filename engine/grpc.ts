/**
 * Why Temporal did not answer a request: it is `unavailable` for a moment (busy, starting, too slow); what was asked for was `not-found`;
 * `permanent`, what no waiting changes (an invalid argument, a missing permission, an unknown method, no login).
 */
type GrpcFailure = 'unavailable' | 'not-found' | 'permanent' | 'other';

/** Classifies a gRPC error, also where the client wraps it; undefined for any other error. */
export function classifyGrpcError(error: unknown): GrpcFailure | undefined {
  const inner = error instanceof Error ? (error.cause ?? error) : error;
  const code = findGrpcCode(inner);
  return code === undefined ? undefined : (FAILURES[code] ?? 'other');
}

/** Returns the code of a gRPC error, recognized as the client does, which workflow code cannot import. */
function findGrpcCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'details' in error && 'metadata' in error && 'code' in error))
    return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}

/** For `catch`: a server that is unavailable for a moment gives no answer; other errors are thrown. */
export function ignoreUnavailable(error: unknown): undefined {
  if (classifyGrpcError(error) !== 'unavailable') throw error;
}

const FAILURES: Readonly<Record<number, GrpcFailure>> = {
  // Of a request whose time is up, the server may say that it was cancelled before the client notices.
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
