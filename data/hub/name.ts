/** A data set of the Hub by its name: `owner/name`, or `owner/name@revision`. */
export interface HubName {
  readonly dataSet: string;
  /** A branch, a tag or a commit. */
  readonly revision: string;
}

/** Parses the name of a data set on the Hub; undefined for any other text. */
export function parseHubName(text: string): HubName | undefined {
  const match = /^([\w.-]+\/[\w.-]+)(?:@(.+))?$/.exec(text);
  const [, dataSet, revision = 'main'] = match ?? [];
  if (dataSet === undefined || /(^|\/)\.|\.\./.test(`${dataSet}/${revision}`)) return undefined;
  return { dataSet, revision };
}
