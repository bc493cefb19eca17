import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

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
    .flatMap((file) => readTexts(join(folder, file)));
  return [`${name} ${version} (${license})`, ...texts].join('\n\n').concat('\n');
}

/** Reads a file, or all files of a folder. */
function readTexts(path: string): string[] {
  return statSync(path).isDirectory()
    ? readdirSync(path).flatMap((file) => readTexts(join(path, file)))
    : [readFileSync(path, 'utf8').trim()];
}

const manifestSchema = z.object({ name: z.string(), version: z.string(), license: z.string() });
