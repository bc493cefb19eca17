/** A bucket of S3-compatible storage, and the prefix of the names in it, without a slash at its end. */
export interface S3Location {
  readonly bucket: string;
  readonly prefix: string;
}

/** `s3://bucket/prefix` in its parts; undefined for any other text. */
export function parseS3Location(text: string): S3Location | undefined {
  const { bucket, prefix = '' } =
    /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{2,62})(?:\/(?<prefix>.*?))?\/*$/.exec(text)?.groups ?? {};
  return bucket === undefined ? undefined : { bucket, prefix };
}

export function formatS3Location({ bucket, prefix }: S3Location): string {
  return prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
}

/** What a location has to be, for messages. */
export const S3_LOCATION_FORM =
  's3://BUCKET/PREFIX, where BUCKET is 3 to 63 lower-case letters, digits, dots and hyphens';
