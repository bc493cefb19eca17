/** A bucket of S3-compatible storage, and the prefix of its names, without a slash at the end. */
export interface S3Location {
  readonly bucket: string;
  readonly prefix: string;
}

/** Parses `s3://bucket/prefix`; undefined for any other text. */
export function parseS3Location(text: string): S3Location | undefined {
  const { bucket, prefix = '' } =
    /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{2,62})(?:\/(?<prefix>.*?))?\/*$/.exec(text)?.groups ?? {};
  return bucket === undefined ? undefined : { bucket, prefix };
}

export function formatS3Location({ bucket, prefix }: S3Location): string {
  return prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
}

/** Valid form of a location, for messages. */
export const S3_LOCATION_FORM =
  's3://BUCKET/PREFIX, where BUCKET is 3 to 63 lower-case letters, digits, dots and hyphens';
