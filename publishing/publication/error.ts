/** The data set was not published; nothing of it is lost, and the message says what to do. */
export class PublishError extends Error {
  override readonly name: string = 'PublishError';

  /** The message, without what to do: for where it is done already. */
  readonly problem: string;

  constructor(message: string, options: ErrorOptions & { readonly problem?: string } = {}) {
    super(message, options);
    this.problem = options.problem ?? message;
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

  constructor(
    { problem, remedy }: { readonly problem: string; readonly remedy?: string },
    { status, code, atHub }: Pick<HubRefusal, 'status' | 'code' | 'atHub'>,
  ) {
    super(remedy === undefined ? problem : `${problem} ${remedy}`, { problem });
    this.status = status;
    this.code = code;
    this.atHub = atHub;
  }

  /** Returns true when the Hub failed, in which case it may still have done the work. */
  get failed(): boolean {
    return this.status >= 500;
  }
}
