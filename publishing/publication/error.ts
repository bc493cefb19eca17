/** The data set was not published; nothing of it is lost, and the message says what happened and what to do first. */
export class PublishError extends Error {
  override readonly name: string = 'PublishError';

  /** Options to add to the same command, so that it may publish; false when only another command can. */
  readonly again: readonly string[] | false;

  constructor(
    message: string,
    { again = [], ...options }: ErrorOptions & { readonly again?: readonly string[] | false } = {},
  ) {
    super(message, options);
    this.again = again;
  }
}

/** The Hub could not be asked, or broke off: whether it did what it was asked is not known. */
export class HubBrokeOff extends PublishError {}

/** The Hub answered that it will not, or cannot. */
export class HubRefusal extends PublishError {
  /** HTTP status code. */
  readonly status: number;
  /** The Hub's own name for it, such as `RevisionNotFound`. */
  readonly code: string | undefined;
  /** False when it was the store that the Hub sends uploads to. */
  readonly atHub: boolean;

  constructor(message: string, { status, code, atHub }: Pick<HubRefusal, 'status' | 'code' | 'atHub'>) {
    super(message);
    this.status = status;
    this.code = code;
    this.atHub = atHub;
  }
}
