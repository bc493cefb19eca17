import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStore, type Store } from './store';

/** A store whose changes vanish when it is disposed of. */
type ScratchStore = Store & AsyncDisposable;

/** Opens a store that reads from another one and keeps every change in a temporary folder. So what a command would store can be read before it is stored. */
export async function openScratchStore(base: Store): Promise<ScratchStore> {
  const folder = await mkdtemp(join(tmpdir(), 'cupid-'));
  const changes = createFolderStore(folder);
  const removed = new Set<string>();
  const read = async (name: string) =>
    removed.has(name) ? undefined : ((await changes.read(name)) ?? (await base.read(name)));
  const write = async (name: string, text: string) => {
    await changes.write(name, text);
    removed.delete(name);
  };
  const remove = async (names: readonly string[]) => {
    await changes.remove(names);
    for (const name of names) removed.add(name);
  };
  /** Returns the store that has a name. */
  const findStore = async (name: string) => ((await changes.read(name)) === undefined ? base : changes);
  return {
    read,
    write,
    remove,
    async *blocks(name, order) {
      if (!removed.has(name)) yield* (await findStore(name)).blocks(name, order);
    },
    async create(name, text) {
      if ((await read(name)) !== undefined) return false;
      await write(name, text);
      return true;
    },
    async append(name, text) {
      await write(name, `${(await read(name)) ?? ''}${text}`);
    },
    async put(name, localFile, within) {
      await changes.put(name, localFile, within);
      removed.delete(name);
    },
    fetch: async (name, localFile, within) => (await findStore(name)).fetch(name, localFile, within),
    async move(from, to) {
      const text = await read(from);
      if (text === undefined) return;
      await write(to, text);
      await remove([from]);
    },
    async list(name) {
      const names = new Set([...(await base.list(name)), ...(await changes.list(name))]);
      return [...names].filter((one) => !removed.has(one)).toSorted();
    },
    async *all(name) {
      const seen = new Set<string>();
      for (const store of [changes, base]) {
        for await (const one of store.all(name)) {
          if (!removed.has(one) && !seen.has(one)) yield one;
          seen.add(one);
        }
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
