/** A folder cannot be used; the message says why and what to do. */
export class RunFolderError extends Error {
  override readonly name = 'RunFolderError';
}
