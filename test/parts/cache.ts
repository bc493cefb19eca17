import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the directory in the user's cache for what tests need. */
export function getTestCache(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'cupid-test');
}

/** Makes a directory, and moves it to its place once it is complete; another process may have been the first. */
export async function createInPlace(
  folder: string,
  create: (making: string) => Promise<void>,
): Promise<void> {
  const cache = join(folder, '..');
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, '.making-'));
  try {
    await create(making);
    await rename(making, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}
