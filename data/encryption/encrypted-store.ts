import { rm } from 'node:fs/promises';
import { writeChunks } from '../store/files';
import { readBlocks, readTextBlocks } from '../store/own-file';
import type { Store } from '../store/store';
import { CiphertextDamaged, EncryptionError, VARIABLE, type Keyring } from './keys';
import { GIVEN_UP, isSealed, PART_BYTES, sealAdded, sealBlocks, SealedReader, sealText } from './sealed-text';

/**
 * A store whose values are encrypted, or not, as the run in it was begun: with keys a new run is encrypted, and `encryption.json` marks it
 * from then on. Names stay readable, as do the locks and `run.json`, which holds no text of a model.
 * @param stored the values as they are kept
 * @param where names the store to a person
 */
export function createEncryptedStore(stored: Store, keys: Keyring, where: string): Store {
  let known: boolean | undefined;
  const torn = new Set<string>();
  const openReader = (name: string) => new SealedReader(keys, `${where}/${name}`, name);

  /** Whether the values are encrypted; undefined while there are none yet, and the first one will be. */
  const find = async (): Promise<boolean | undefined> => {
    if (known !== undefined) return known;
    const mark = await stored.read(MARK);
    if (mark !== undefined) checkMark(mark);
    else if (!keys.isEmpty && (await stored.list('inputs')).length === 0) return undefined;
    return (known = mark !== undefined);
  };
  const checkMark = (mark: string) => {
    try {
      new SealedReader(keys, `The run's store ${where}`, MARK).readAll(mark);
    } catch (error) {
      if (!(error instanceof CiphertextDamaged)) throw error;
      throw new EncryptionError(
        `The run's store ${where} was not encrypted with these keys: ${VARIABLE} has another key under an id that it uses, or ${MARK} was changed. Correct the key.`,
        { cause: error },
      );
    }
  };
  const isEncryptedHere = async (name: string) => !isPlain(name) && (await find()) === true;
  /** Whether a value that is about to be written is encrypted: the first one marks the store. */
  const begin = async (name: string) => {
    if (isPlain(name)) return false;
    const isOn = await find();
    if (isOn !== undefined) return isOn;
    await stored.create(MARK, sealText(keys, MARK, ''));
    return (await find()) === true;
  };
  const seal = async (name: string, text: string) =>
    (await begin(name)) ? sealText(keys, name, text) : text;
  const openBlocks = async function* (name: string, blocks: AsyncIterable<string>, isWhole: boolean) {
    const reader = openReader(name);
    let unfinished = '';
    for await (const block of blocks) {
      const lines = (unfinished + block).split('\n');
      // Of a text that grows, the last line may have been cut off by a crash, or is being written.
      unfinished = lines.pop() ?? '';
      for (const line of lines) yield reader.open(line);
    }
    reader.end(isWhole ? unfinished : '');
  };

  return {
    encryption: { stored, isOn: async () => (await find()) ?? true },
    async read(name) {
      const text = await stored.read(name);
      if (text === undefined) return undefined;
      if (await isEncryptedHere(name)) return openReader(name).readAll(text);
      if (!isSealed(text) || isPlain(name)) return text;
      throw new EncryptionError(
        `${where}/${name} is encrypted, but ${where}/${MARK} is missing. Restore it from a copy.`,
      );
    },
    async *blocks(name) {
      if (await isEncryptedHere(name)) {
        const decoder = new TextDecoder();
        for await (const bytes of openBlocks(name, stored.blocks(name), false)) {
          yield decoder.decode(bytes, { stream: true });
        }
      } else yield* stored.blocks(name);
    },
    write: async (name, text) => stored.write(name, await seal(name, text)),
    create: async (name, text) => stored.create(name, await seal(name, text)),
    async append(name, text) {
      if (!(await begin(name))) return stored.append(name, text);
      const line = sealAdded(keys, name, text);
      try {
        // What a full disk left of a line must not run into the next.
        await stored.append(name, torn.has(name) ? `${GIVEN_UP}\n${line}` : line);
        torn.delete(name);
      } catch (error) {
        torn.add(name);
        throw error;
      }
    },
    async put(name, localFile, within) {
      if (!(await begin(name))) return stored.put(name, localFile, within);
      const sealed = `${localFile}.encrypted`;
      try {
        const blocks = readBlocks(localFile, within, PART_BYTES);
        await writeChunks(sealed, sealBlocks(keys, name, blocks));
        await stored.put(name, sealed);
      } finally {
        await rm(sealed, { force: true });
      }
    },
    async fetch(name, localFile, within) {
      if (!(await isEncryptedHere(name))) return stored.fetch(name, localFile, within);
      const sealed = `${localFile}.encrypted`;
      try {
        await stored.fetch(name, sealed);
        await writeChunks(localFile, openBlocks(name, readTextBlocks(sealed, undefined), true), within);
      } finally {
        await rm(sealed, { force: true });
      }
    },
    async move(from, to) {
      if (!(await isEncryptedHere(from))) return stored.move(from, to);
      const text = await stored.read(from);
      if (text === undefined) return;
      try {
        // Its name is authenticated with it, so it is encrypted again.
        await stored.write(to, sealText(keys, to, openReader(from).readAll(text)));
      } catch (error) {
        if (!(error instanceof CiphertextDamaged)) throw error;
        return stored.move(from, to);
      }
      await stored.remove([from]);
    },
    remove: (names) => stored.remove(names),
    list: (folder) => stored.list(folder),
    all: (folder) => stored.all(folder),
  };
}

/** What a store keeps, encrypted where it is: to be copied as it is. */
export function getStored(store: Store): Store {
  return store.encryption?.stored ?? store;
}

/** A value of a store; its ciphertext if that was changed, so that it cannot be decrypted. */
export async function readOrCiphertext(store: Store, name: string): Promise<string | undefined> {
  try {
    return await store.read(name);
  } catch (error) {
    if (!(error instanceof CiphertextDamaged)) throw error;
    return getStored(store).read(name);
  }
}

/** Whether what a store keeps is encrypted. @throws EncryptionError when the key is missing or another one */
export async function isEncrypted(store: Store): Promise<boolean> {
  return (await store.encryption?.isOn()) ?? false;
}

/** Marks an encrypted store: an empty value, encrypted with the key that the run was begun with. */
const MARK = 'encryption.json';

/** Needed by processes before they know of keys, and without any text of a model. */
function isPlain(name: string): boolean {
  return name === MARK || name === 'run.json' || name.startsWith('locks/');
}
