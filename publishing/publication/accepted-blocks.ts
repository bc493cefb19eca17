import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The blocks of a data set (64 MB and less, named by their content) that the Hub's Xet store has taken, in a file of the user's
 * cache, so that the next command need not send them again. The store alone does not tell: it learns which file a block is of
 * when the file ends, and an upload that breaks off before that would start at its beginning.
 */
export class AcceptedBlocks {
  readonly #file: string;
  readonly #blocks: Set<string>;

  private constructor(file: string, blocks: Set<string>) {
    this.#file = file;
    this.#blocks = blocks;
  }

  /** @param dataSet the Hub's address and the name of the data set: what one account may use, another may not know of */
  static async of(dataSet: string, environment: NodeJS.ProcessEnv): Promise<AcceptedBlocks> {
    const caches = environment['XDG_CACHE_HOME'] || join(homedir(), '.cache');
    const name = createHash('sha256').update(dataSet).digest('hex').slice(0, 32);
    const file = join(caches, 'cupid', 'uploads', name);
    const text = await readFile(file, 'utf8').catch(() => '');
    // A line that a crash cut off is no address, and one block is sent again.
    return new AcceptedBlocks(file, new Set(text.split('\n').filter((line) => BLOCK.test(line))));
  }

  has(block: string): boolean {
    return this.#blocks.has(block);
  }

  async add(block: string): Promise<void> {
    this.#blocks.add(block);
    // Without a cache that can be written, all that is lost is time after an interruption.
    await mkdir(dirname(this.#file), { recursive: true })
      .then(() => appendFile(this.#file, `${block}\n`))
      .catch(() => undefined);
  }

  /** Once they are part of a commit, or the store does not know them any more. */
  async forget(): Promise<void> {
    this.#blocks.clear();
    await rm(this.#file, { force: true }).catch(() => undefined);
  }
}

const BLOCK = /\/[0-9a-f]{64}$/;
