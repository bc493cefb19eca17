import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * Lists the license texts of the packages in a bundle. Most licenses require them in every copy.
 * @param inputs the bundle's files, relative to the project
 */
export function listLicenses(root: string, inputs: readonly string[]): string {
  const packages = inputs.flatMap((file) => PACKAGE.exec(file)?.[0] ?? []);
  return [...new Set(packages)]
    .toSorted()
    .map((path) => describeLicense(join(root, path)))
    .join(`\n${'-'.repeat(80)}\n`);
}

/** Matches the folder of the package that a file belongs to. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

function describeLicense(folder: string): string {
  const { name, version, license } = manifestSchema.parse(
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
  );
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n').concat('\n');
}

const manifestSchema = z.object({ name: z.string(), version: z.string(), license: z.string() });
