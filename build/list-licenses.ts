import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { groupBy } from '../rules/group-by';

/**
 * Lists the license texts of the packages in a bundle, each text once. Most licenses require them in every copy.
 * @param inputs the bundle's files, relative to the project
 */
export function listLicenses(root: string, inputs: readonly string[]): string {
  const packages = new Set(inputs.flatMap((file) => PACKAGE.exec(file)?.[0] ?? []));
  const licenses = [...packages].toSorted().map((path) => readLicense(join(root, path)));
  return [...groupBy(licenses, ({ text }) => text)]
    .map(([text, users]) => `${users.map(({ user }) => user).join('\n')}\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n`);
}

/** Matches the folder of the package that a file belongs to. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

interface License {
  /** Name and version of the package, and the name of its license. */
  readonly user: string;
  readonly text: string;
}

function readLicense(folder: string): License {
  const { name, version, license } = manifestSchema.parse(
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
  );
  const files = readdirSync(folder);
  const texts = files
    .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
    .flatMap((file) => readTexts(join(folder, file)));
  const sections = files
    .filter((file) => /^readme/i.test(file))
    .map((file) => findLicenseSection(readFileSync(join(folder, file), 'utf8')));
  return {
    user: `${name} ${version} (${license})`,
    text: (texts.length > 0 ? texts : sections).join('\n\n'),
  };
}

/** Reads a file, or all files of a folder. */
function readTexts(path: string): string[] {
  return statSync(path).isDirectory()
    ? readdirSync(path).flatMap((file) => readTexts(join(path, file)))
    : [readFileSync(path, 'utf8').trim()];
}

/** Finds the license at the end of a README, which some packages have instead of a file. */
function findLicenseSection(readme: string): string {
  return (/^(?:#+ )?License\n[^]*/m.exec(readme)?.[0] ?? '').trim();
}

const manifestSchema = z.object({ name: z.string(), version: z.string(), license: z.string() });
