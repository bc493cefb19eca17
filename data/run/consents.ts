import { readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { hashText } from '../store/files';
import { getErrorCode } from '../store/system-error';
import { makeDurableFolder, writeAtomically } from '../store/store';

/**
 * Reads the targets (URLs of code and of servers) that the user has consented to for a run folder. They are stored in the user's state
 * directory, because the content of a run folder may come from somebody else.
 */
export async function readConsents(folder: string, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const real = await resolveRealPath(folder);
  try {
    const consents = consentsSchema.parse(
      JSON.parse(await readFile(getConsentFile(real, environment), 'utf8')),
    );
    return consents.folder === real ? consents.targets : [];
  } catch {
    // The user is asked again if no consent can be read.
    return [];
  }
}

/** Records the user's consent to these targets for a run folder. */
export async function addConsents(
  folder: string,
  targets: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const real = await resolveRealPath(folder);
  const before = await readConsents(real, environment);
  const all = [...new Set([...before, ...targets])].toSorted();
  if (all.length === before.length) return;
  const file = getConsentFile(real, environment);
  await makeDurableFolder(dirname(file), { mode: 0o700 });
  await writeAtomically(file, `${JSON.stringify({ folder: real, targets: all }, null, 2)}\n`);
}

const consentsSchema = z.object({ folder: z.string(), targets: z.array(z.string()) });

function getConsentFile(realFolder: string, environment: NodeJS.ProcessEnv): string {
  const directory = environment['XDG_STATE_HOME'] ?? '';
  // The XDG specification says to ignore relative paths.
  const state = isAbsolute(directory) ? directory : join(homedir(), '.local', 'state');
  const name = hashText(realFolder).slice(0, 32);
  return join(state, 'cupid', 'consents', `${name}.json`);
}

/** Resolves the real path of a folder, also of one that does not exist yet. */
async function resolveRealPath(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    return join(await resolveRealPath(dirname(folder)), basename(folder));
  }
}
