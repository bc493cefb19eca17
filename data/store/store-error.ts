/** A request to object storage failed. The message names the object, the reason, and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  constructor(
    message: string,
    /** HTTP status of the answer; undefined if there was none. */
    readonly status: number | undefined,
    /** Code of the storage's or the client's error, such as `NoSuchKey`; an empty text if there was none. */
    readonly code: string,
    options: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Returns the HTTP status of a rejected request; undefined for every other error. */
export function getStatus(error: unknown): number | undefined {
  return error instanceof StoreError ? error.status : undefined;
}

/** Returns whether the storage itself says that an object does not exist. A gateway that is starting answers with the same status. */
export function isMissingObject(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'NoSuchKey';
}

/** Returns whether another request wrote or removed the object at the same moment. Other conflicts have the same status, and last. */
export function isSimultaneous(error: unknown): boolean {
  return error instanceof StoreError && SIMULTANEOUS.has(error.code);
}

const SIMULTANEOUS: ReadonlySet<string> = new Set(['ConditionalRequestConflict', 'OperationAborted']);

/** Returns whether the request failed because of its credentials, so new ones may help. */
export function hasInvalidCredentials(error: unknown): boolean {
  return (
    error instanceof StoreError && (WITHOUT_CREDENTIALS.has(error.code) || INVALID_TOKEN.has(error.code))
  );
}

const WITHOUT_CREDENTIALS: ReadonlySet<string> = new Set(['CredentialsProviderError', 'TokenProviderError']);
const INVALID_TOKEN: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidToken',
  'TokenRefreshRequired',
]);

/** @param where the object, such as `s3://bucket/run/inputs/run.json` */
export function createStoreError(where: string, bucket: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { name, message, status, code } = readSdkError(error);
  const reason = [...new Set([name, code, message])]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
  const remedy = findRemedy(name, message, status, bucket);
  return new StoreError(`${where} cannot be accessed (${reason}). ${remedy}`, status, name, { cause: error });
}

function findRemedy(name: string, message: string, status: number | undefined, bucket: string): string {
  if (name === 'NoSuchBucket') return `Create the bucket ${bucket}, or correct its name.`;
  if (WITHOUT_CREDENTIALS.has(name)) {
    return 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE. If a login has expired, repeat it.';
  }
  if (INVALID_TOKEN.has(name)) return RENEW[hasCredentialsInEnvironment() ? 'environment' : 'files'];
  if (SIMULTANEOUS.has(name)) return 'Try again in a moment.';
  if (status === 409) return 'Another object is in the way. Remove it, or choose another prefix.';
  if (status === 301 || WRONG_REGION.has(name)) return `Set AWS_REGION to the region of ${bucket}.`;
  if (/^checksum mismatch/i.test(message)) {
    return 'The object was damaged on the way or in the storage. Repeat the command; if the damage remains, restore the object from a copy.';
  }
  if (status === 403)
    return 'Check the credentials, and that they may list, read, write and delete in this bucket.';
  if (status === 501) return 'This server lacks a function that cupid needs. See docs/cluster.md.';
  if (status === undefined) return 'Check the network, AWS_ENDPOINT_URL_S3 and AWS_REGION.';
  if (status < 500 && status !== 408 && status !== 429) return 'Check AWS_ENDPOINT_URL_S3 and AWS_REGION.';
  return 'Try again in a moment.';
}

/** Returns whether AWS's client takes the credentials from variables, which it does only without a profile. */
function hasCredentialsInEnvironment(): boolean {
  const { AWS_PROFILE = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
  return AWS_PROFILE === '' && AWS_ACCESS_KEY_ID !== '' && AWS_SECRET_ACCESS_KEY !== '';
}

const RENEW = {
  environment:
    'The credentials are in environment variables, which a running process cannot renew. Stop it with Ctrl-C, set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN again, and repeat the command. Calls whose answers were not stored are then made again.',
  files:
    "Renew the credentials in AWS's files, for example with `aws sso login`. A running command uses them at its next request.",
};

const WRONG_REGION: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'PermanentRedirect',
]);

function readSdkError(error: unknown): {
  readonly name: string;
  readonly message: string;
  readonly status?: number;
  readonly code?: string;
} {
  if (!(error instanceof Error)) return { name: '', message: String(error) };
  const { name, message } = error;
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined;
  const status =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? metadata.httpStatusCode
      : undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    name: name === 'Error' ? '' : name,
    // A host with several addresses has an error for each.
    message:
      message === '' && error instanceof AggregateError ? error.errors.map(String).join('; ') : message,
    ...(typeof status === 'number' ? { status } : {}),
    ...(code === undefined ? {} : { code }),
  };
}
