/** A data set of the Hub by its name: `owner/name`, or `owner/name@revision`. */
export interface HubName {
  readonly dataSet: string;
  /** A branch, a tag or a commit. */
  readonly revision: string;
}

/** Returns the Hub's data set that is meant; undefined when the text cannot be a name of one. */
export function parseHubName(given: string): HubName | undefined {
  const match = /^([\w.-]+\/[\w.-]+)(?:@(.+))?$/.exec(given);
  const [, dataSet, revision = 'main'] = match ?? [];
  if (dataSet === undefined || /(^|\/)\.|\.\./.test(`${dataSet}/${revision}`)) return undefined;
  return { dataSet, revision };
}
