import { InputError } from '../../schemas/input-error';

/** A folder cannot be used; the message says why and what to do. */
export class RunFolderError extends Error {
  override readonly name = 'RunFolderError';
}

/** The command line names a folder of another kind than the command works in, or a file. */
export class WrongFolder extends InputError {
  override readonly name = 'WrongFolder';
}
