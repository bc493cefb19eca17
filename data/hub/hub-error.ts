/**
 * The Hub did not answer, or rejected a request: it cannot be reached, rejects the token, asks to wait, or failed. The name may be correct,
 * so this is no usage error.
 */
export class HubError extends Error {
  override readonly name = 'HubError';
}
