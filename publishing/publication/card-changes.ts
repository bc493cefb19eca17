import * as z from 'zod';
import { readFrontMatter } from '../../data/card/front-matter';
import { UNKNOWN_LICENSE } from '../../data/card/licenses';
import { readCard } from '../../data/card/read';
import type { KindName } from '../../data/sets/kinds';

interface CardSurroundings {
  /** `owner/name` */
  readonly repo: string;
  /** The license that was asked for by name. */
  readonly license?: string;
}

/**
 * Lists the changes that replacing the Hub's card makes, a line each: its data set, and its license, which may have been chosen elsewhere.
 */
export function listCardChanges(
  remoteCard: string,
  localCard: string,
  { repo, license: requestedLicense }: CardSurroundings,
): string[] {
  const [before, after] = [readFacts(remoteCard), readFacts(localCard)];
  const replaced = before.name !== undefined && after.name !== undefined && before.name !== after.name;
  return [
    ...(replaced ? [`${repo} contains ${before.name}. Publishing replaces it with ${after.name}.`] : []),
    ...describeLicenseChange(before.license, after.license, requestedLicense),
  ];
}

/** Says that the Hub's card is of instances and ours of records, or the other way round; undefined when it is not known to be. */
export function findReplacedKind(remoteCard: string, localCard: string, repo: string): string | undefined {
  const [before, after] = [findCardKind(remoteCard), findCardKind(localCard)];
  if (before === undefined || after === undefined || before === after) return undefined;
  return `${repo} contains ${before} on the Hub, but this data set contains ${after}.`;
}

/** Finds the kind of data set by the columns that the card describes, else by its name. */
function findCardKind(card: string): KindName | undefined {
  const names = z
    .array(z.object({ name: z.string() }))
    .catch([])
    .parse(readCard(card).datasetInfo?.features)
    .map(({ name }) => name);
  if (names.includes('prior_interactions')) return 'instances';
  if (names.includes('interactions')) return 'records';
  const { name } = readFacts(card);
  if (name === 'CUPID-Raw') return 'records';
  return name === 'CUPID' || name === 'CUPID-Unverified' ? 'instances' : undefined;
}

interface CardHead {
  readonly name: string | undefined;
  /** Undefined when it names none. */
  readonly license: string | undefined;
}

function readFacts(card: string): CardHead {
  const { pretty_name: name } = frontMatterSchema.parse(readFrontMatter(card));
  const { license } = readCard(card);
  const [, title] = /^# +(.+)$/m.exec(card) ?? [];
  return {
    name: formatShown(name ?? title),
    license: license === UNKNOWN_LICENSE ? undefined : formatShown(license),
  };
}

const frontMatterSchema = z.object({ pretty_name: z.string().optional().catch(undefined) }).catch({});

/** Formats a text, which may come from others, as one line of at most 100 characters. */
function formatShown(text: string | undefined): string | undefined {
  return (
    text
      ?.replaceAll(/[\s\p{C}]+/gu, ' ')
      .trim()
      .slice(0, 100) || undefined
  );
}

function describeLicenseChange(
  before: string | undefined,
  after: string | undefined,
  requestedLicense: string | undefined,
): string[] {
  if (before === undefined || before === after) return [];
  const change = `The license changes from ${before} (on the Hub) to ${after ?? 'none'}.`;
  if (requestedLicense !== undefined) return [change];
  // One that only the card itself names.
  const keeping =
    before === 'other' ? 'copy it from the card on the Hub into this card' : `add --license ${before}`;
  return [`${change} To keep the license, ${keeping}.`];
}
