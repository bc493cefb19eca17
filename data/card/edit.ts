import { findCanary, renderCanary } from '../marks/canary';
import { readFrontMatter, withFrontMatter } from './front-matter';
import { checkLicense, formatLicenseSentence, UNKNOWN_LICENSE } from './licenses';
import { readCard } from './read';

/**
 * Returns the card with this license in its front matter and in our own section; all else stays as it is.
 * @throws DataError when the Hub does not know the license, or the front matter is not YAML
 */
export function withLicense(card: string, license: string): string {
  checkLicense(license, findFrontMatterText(card, 'license_name') !== undefined);
  return addLicense(card, { license });
}

/** Returns the card with this canary at its end, unless it has one. */
export function withCanary(card: string, canary: string | undefined): string {
  if (canary === undefined || findCanary(card) !== undefined) return card;
  return `${card.trimEnd()}\n\n${renderCanary(canary)}\n`;
}

/** Returns the card with the license of another card, including its name and link; unchanged if the other names none. */
export function withLicenseOf(card: string, otherCard: string): string {
  const license = findFrontMatterValue(otherCard, 'license');
  if (readCard(otherCard).license === undefined || license === findFrontMatterValue(card, 'license'))
    return card;
  const [name, link] = [
    findFrontMatterText(otherCard, 'license_name'),
    findFrontMatterText(otherCard, 'license_link'),
  ];
  return addLicense(card, {
    license,
    ...(name !== undefined && { license_name: name }),
    ...(link !== undefined && { license_link: link }),
  });
}

/**
 * Returns the card without its license, so that cards that differ only in their licenses give the same text. A card whose front matter is
 * not YAML stays as it is.
 */
export function removeLicense(card: string): string {
  if (readFrontMatter(card) === undefined) return card;
  const bare = addLicense(card, { license: UNKNOWN_LICENSE });
  return withFrontMatter(bare, { license: undefined, license_name: undefined, license_link: undefined });
}

function addLicense(card: string, front: { readonly license: unknown }): string {
  const changed = withFrontMatter(card, { ...front });
  return changed.replace(formatSentenceOf(card), () => formatSentenceOf(changed));
}

function formatSentenceOf(card: string): string {
  return formatLicenseSentence(readCard(card).license ?? UNKNOWN_LICENSE);
}

function findFrontMatterText(card: string, name: string): string | undefined {
  const value = findFrontMatterValue(card, name);
  return typeof value === 'string' ? value : undefined;
}

function findFrontMatterValue(card: string, name: string): unknown {
  const front = readFrontMatter(card);
  return typeof front === 'object' && front !== null ? Reflect.get(front, name) : undefined;
}
