import type { Schema } from 'apache-arrow';
import { type CardFiles, configsOf, datasetInfo } from './dataset-info';
import { frontMatterOf, withFrontMatter } from './front-matter';
import { checkLicense, licenseSentence, UNKNOWN_LICENSE } from './licenses';

/**
 * The card with this licence, in its front matter and where our own section tells it; all else stays as it is.
 * @throws DataError when the Hub knows no such licence, or the front matter is not YAML
 */
export function withLicense(card: string, license: string): string {
  checkLicense(license);
  const before = licenseOf(card) ?? UNKNOWN_LICENSE;
  return withFrontMatter(card, { license }).replace(licenseSentence(before), () => licenseSentence(license));
}

/**
 * The card with these files as its only config, and with what `datasets` computes of them; all else stays as it is. A text without
 * front matter gets one.
 * @throws DataError when the front matter is not YAML
 */
export function withFiles(card: string, columns: Schema, files: CardFiles): string {
  return withFrontMatter(card, { configs: configsOf(files), dataset_info: datasetInfo(columns, files) });
}

function licenseOf(card: string): string | undefined {
  const front = frontMatterOf(card);
  const license: unknown =
    typeof front === 'object' && front !== null ? Reflect.get(front, 'license') : undefined;
  return typeof license === 'string' ? license : undefined;
}
