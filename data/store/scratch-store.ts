import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFolderStore, type Store } from './store';

/** A store whose changes vanish when it is disposed of. */
type ScratchStore = Store & AsyncDisposable;

/** Opens a store that reads from another one and keeps every change in a temporary folder. So what a command would store can be read before it is stored. */
export async function openScratchStore(base: Store): Promise<ScratchStore> {
  const scratch = await mkdtemp(join(tmpdir(), 'cupid-'));
  const changes = createFolderStore(scratch);
  /** Changed and removed names, and the folders above the changed ones: an evaluation reads thousands that have neither. */
  const changed = new Set<string>();
  const changedFolders = new Set<string>();
  const removed = new Set<string>();
  const recordChange = (name: string) => {
    changed.add(name);
    for (let folder = dirname(name); folder !== '.'; folder = dirname(folder)) changedFolders.add(folder);
    removed.delete(name);
  };
  const getStore = (name: string) => (changed.has(name) ? changes : base);
  const read = async (name: string) => (removed.has(name) ? undefined : getStore(name).read(name));
  const write = async (name: string, text: string) => {
    await changes.write(name, text);
    recordChange(name);
  };
  const remove = async (names: readonly string[]) => {
    await changes.remove(names);
    for (const name of names) {
      changed.delete(name);
      removed.add(name);
    }
  };
  return {
    read,
    write,
    remove,
    async *blocks(name, order) {
      if (!removed.has(name)) yield* getStore(name).blocks(name, order);
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
      recordChange(name);
    },
    fetch: (name, localFile, within) => getStore(name).fetch(name, localFile, within),
    async move(from, to) {
      const text = await read(from);
      if (text === undefined) return;
      await write(to, text);
      await remove([from]);
    },
    async list(folder) {
      const names = new Set(await base.list(folder));
      if (changedFolders.has(folder)) for (const name of await changes.list(folder)) names.add(name);
      return [...names].filter((name) => !removed.has(name)).toSorted();
    },
    async *all(folder) {
      yield* changes.all(folder);
      for await (const name of base.all(folder)) if (!removed.has(name) && !changed.has(name)) yield name;
    },
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
  };
}
