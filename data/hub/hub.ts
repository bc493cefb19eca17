import { join } from 'node:path';
import { formatNumber } from '../../schemas/text/count-text';
import { type Card, readCard } from '../card/read';
import { type Choice, chooseFiles, PROVENANCE } from '../folders/choose';
import { DataError } from '../store/data-error';
import { HubError } from './hub-error';
import { CARD, readCardText } from '../folders/folder';
import { readHubAccess, type HubAccess } from './access';
import {
  isCommit,
  isPathBelow,
  type ListedFile,
  parseListedFile,
  requireCommit,
  createUnreadableAnswerError,
} from './answers';
import { HubCache } from './cache';
import { findCause, createHubFetch, HubUnreachable } from './fetch';
import type { HubName } from './name';

interface HubFiles {
  readonly commit: string;
  /** Folder of the commit in the cache. */
  readonly folder: string;
  /** Paths relative to the folder. */
  readonly files: readonly string[];
  readonly provenance: string | undefined;
  readonly card: Card | undefined;
}

/**
 * Finds a data set on the Hub and brings its files into the Hub's cache. A commit that is there needs no network.
 * @throws DataError when it does not exist, may not be read, cannot be reached, or holds no instances
 */
export async function downloadHubFiles(
  name: HubName,
  environment: NodeJS.ProcessEnv,
  report: (line: string) => void,
): Promise<HubFiles> {
  const access = await readHubAccess(environment);
  const hub = new Hub(name, access, report);
  const commit = await hub.commit();
  return (await hub.cached(commit, 'certain')) ?? hub.fetched(commit);
}

class Hub {
  readonly #dataSet: string;
  readonly #revision: string;
  readonly #cache: HubCache;
  readonly #client: { readonly hubUrl: string; readonly fetch: typeof fetch };
  readonly #report: (line: string) => void;

  constructor(name: HubName, access: HubAccess, report: (line: string) => void) {
    const { dataSet, revision } = name;
    this.#dataSet = dataSet;
    this.#revision = revision;
    this.#cache = new HubCache(access.cache, dataSet);
    this.#client = { hubUrl: access.address, fetch: createHubFetch(access, name, report) };
    this.#report = report;
  }

  /** Returns the revision's current commit, or its last known one if the Hub cannot be reached. */
  async commit(): Promise<string> {
    if (isCommit(this.#revision)) return this.#revision;
    const { datasetInfo } = await import('@huggingface/hub');
    try {
      const dataset = await datasetInfo({
        ...this.#client,
        name: this.#dataSet,
        revision: this.#revision,
        additionalFields: ['sha'],
      }).catch((error: unknown) => {
        throw isKnown(error) ? error : createUnreadableAnswerError(`answer about ${this.#dataSet}`, error);
      });
      const sha = requireCommit(dataset.sha, this.#dataSet);
      await this.#cache.keepCommitOf(this.#revision, sha);
      return sha;
    } catch (error) {
      if (!(error instanceof HubUnreachable)) throw error;
      const commit = await this.#cache.commitOf(this.#revision);
      if (commit === undefined) throw await this.#nameCached(error);
      this.#report(
        `${error.brief}. Using ${this.#dataSet}@${this.#revision} from the cache, commit ${commit}.`,
      );
      return commit;
    }
  }

  /** Adds the cached commits to the message. */
  async #nameCached(error: HubUnreachable): Promise<HubUnreachable> {
    const commits = await this.#cache.commits();
    if (commits.length === 0) return error;
    const names = commits.map((commit) => `${this.#dataSet}@${commit}`).join(', ');
    return new HubUnreachable(`${error.message} In the cache: ${names}.`, { cause: error });
  }

  /**
   * Returns the files in the cache. `certain` needs proof that files outside the cache would not change the choice, so that the same commit
   * always gives the same data.
   */
  async cached(commit: string, how: 'certain' | 'as far as known'): Promise<HubFiles | undefined> {
    const [card, provenance] = await Promise.all(
      [CARD, PROVENANCE].map((path) => this.#cache.knows(commit, path)),
    );
    if (how === 'certain' && (card === undefined || provenance === undefined)) return undefined;
    const names = await this.#cache.listed(commit);
    try {
      const listing = await this.#found(commit, names);
      return how === 'certain' && !listing.choice.certain ? undefined : listing.files;
    } catch (error) {
      if (error instanceof DataError) return undefined;
      throw error;
    }
  }

  /** Returns the files of the Hub; downloads only those that are not in the cache. */
  async fetched(commit: string): Promise<HubFiles> {
    try {
      const listing = await this.#listing(commit);
      for (const path of [CARD, PROVENANCE]) await this.#bring(commit, path, listing);
      const { choice, files } = await this.#found(commit, [...listing.keys()]);
      for (const path of choice.files) await this.#bring(commit, path, listing);
      return files;
    } catch (error) {
      if (!(error instanceof HubUnreachable)) throw error;
      const files = await this.cached(commit, 'as far as known');
      if (files === undefined) throw error;
      this.#report(
        `${error.brief}. Using the files of ${this.#dataSet} that are in the cache (${files.files.join(', ')}).`,
      );
      return files;
    }
  }

  async #found(
    commit: string,
    names: readonly string[],
  ): Promise<{ readonly choice: Choice; readonly files: HubFiles }> {
    const folder = this.#cache.snapshot(commit);
    const text = names.includes(CARD)
      ? await readCardText(join(folder, CARD), `${this.#dataSet}/${CARD}`)
      : undefined;
    const card = text === undefined ? undefined : readCard(text);
    const choice = chooseFiles(`${this.#dataSet} of the Hub`, names, card);
    const provenance = names.includes(PROVENANCE) ? PROVENANCE : undefined;
    return { choice, files: { commit, folder, files: choice.files, provenance, card } };
  }

  async #listing(commit: string): Promise<Map<string, ListedFile>> {
    const { listFiles } = await import('@huggingface/hub');
    const listing = new Map<string, ListedFile>();
    const entries = listFiles({
      ...this.#client,
      repo: { type: 'dataset', name: this.#dataSet },
      revision: commit,
      recursive: true,
    });
    try {
      for await (const entry of entries) {
        if (entry.type !== 'file') continue;
        const file = parseListedFile(entry);
        if (isPathBelow(file.path)) listing.set(file.path, file);
        if (listing.size > MAX_FILES) {
          throw new DataError(
            `${this.#dataSet} has more than ${formatNumber(MAX_FILES)} files, which is the most that can be listed. ` +
              'Download the files that you need and name their folder.',
          );
        }
      }
    } catch (error) {
      throw isKnown(error) ? error : createUnreadableAnswerError('list of files', error);
    }
    return listing;
  }

  async #bring(commit: string, path: string, listing: ReadonlyMap<string, ListedFile>): Promise<void> {
    const file = listing.get(path);
    if (file === undefined) {
      await this.#cache.keepAbsence(commit, path);
      return;
    }
    await this.#cache.keep(commit, file, async () => {
      const megabytes = (file.bytes / 1e6).toFixed(1);
      this.#report(`Downloading ${path} (${megabytes} MB) of ${this.#dataSet} from the Hub.`);
      return this.#download(commit, path);
    });
  }

  /** Downloads a file by a plain GET: the client's own download uses range requests, which mirrors and proxies may not support. */
  async #download(commit: string, path: string): Promise<AsyncIterable<Uint8Array>> {
    const { hubUrl, fetch: get } = this.#client;
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    const { body } = await get(`${hubUrl}/datasets/${this.#dataSet}/resolve/${commit}/${encoded}`);
    if (body === null) throw new HubError(`The Hub sent nothing for ${path} of ${this.#dataSet}.`);
    return nameBrokenDownloads(body, path);
  }
}

/** Returns whether the error already says what to do. */
function isKnown(error: unknown): boolean {
  return error instanceof DataError || error instanceof HubError;
}

/** Limits the listing, which could otherwise fill the memory; a data set of this form has far fewer files. */
const MAX_FILES = 100_000;

async function* nameBrokenDownloads(
  stream: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw new HubUnreachable(
      `The download of ${path} was interrupted (${findCause(error)}). Run the same command again.`,
      {
        cause: error,
      },
    );
  }
}
