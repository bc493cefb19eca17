import { waitForPart } from './prepared';
import type { PartName } from './part';

/**
 * Returns `describe` and `test` for tests that need these parts: they skip if one is missing; with CI=true they fail. A file that says
 * `const { test } = needing('browser')` needs it as a whole. Jest prepares the parts in such calls of the selected files, so use literal
 * names. A part that is still being installed is waited for.
 */
export function needing(...names: readonly PartName[]): Pick<typeof globalThis, 'describe' | 'test'> {
  const missing = names.filter((name) => findPath(name) === undefined);
  if (missing.length === 0) return { describe, test };
  if (process.env['CI'] === 'true') {
    throw new Error(`Missing: ${missing.join(', ')}. The end of the output says why, and what installs it.`);
  }
  return { describe: describe.skip, test: test.skip };
}

/** Returns the path of a part. @throws Error if it is missing, or the test file does not name it in `needing` */
export function getPart(name: PartName): string {
  const path = findPath(name);
  if (path !== undefined) return path;
  throw new Error(
    `The part ${name} is missing. Give what needs it the test or describe of needing('${name}').`,
  );
}

/** Returns whether a part exists, for the set-up of files of which only some tests need it. */
export function hasPart(name: PartName): boolean {
  return findPath(name) !== undefined;
}

function findPath(name: PartName): string | undefined {
  const part = waitForPart(name);
  if (part === undefined) {
    throw new Error(`The part ${name} was not prepared. Name it in the test file: needing('${name}').`);
  }
  return 'path' in part ? part.path : undefined;
}
