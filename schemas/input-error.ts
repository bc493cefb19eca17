/** The command line, or a run or file that it names, is invalid. The message says what was expected. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}
