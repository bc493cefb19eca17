import * as z from 'zod';
import type { CommitOperation, CommitOutput, CommitProgressEvent, HubApiError } from '@huggingface/hub';
import { DataError } from '../../data/store/data-error';
import { CARD } from '../../data/folders/folder';
import type { HubAccess, HubToken } from '../../data/hub/access';
import { type ListedFile, parseListedFile, requireCommit } from '../../data/hub/answers';
import { createPublishFetch } from './connection';
import { HubRefusal, PublishError } from './error';
import { requireUnchanged, watchReads, type LocalFile } from './local-file';

export interface Account {
  readonly name: string;
  /** Names of known organizations of the account. A fine-grained token does not list all of them. */
  readonly organizations: readonly string[];
  /** True when the token can write nothing anywhere. */
  readonly readsOnly: boolean;
}

/** How a branch of the data set stands on the Hub, as far as the token may see. */
export type BranchState =
  | { readonly there: true; readonly commit: string; readonly private: boolean }
  | { readonly there: false; readonly missing: 'data set' | 'branch' };

interface CommitRequest {
  readonly branch: string;
  /** The commit that the files were compared with; on any other, the Hub refuses. */
  readonly parent: string;
  readonly title: string;
  readonly files: readonly LocalFile[];
  /** Paths. */
  readonly removed: readonly string[];
  readonly asPullRequest: boolean;
}

export type CommitProgress =
  | { readonly phase: 'uploading' | 'committing' }
  | { readonly path: string; readonly doing: 'hashing' | 'uploading'; readonly share: number };

/** One data set of the Hub, as the publication asks about it and writes to it. */
export class HubDataSet {
  readonly #repo: { readonly type: 'dataset'; readonly name: string };

  readonly #fetch: typeof fetch;

  constructor(
    private readonly name: string,
    private readonly access: HubAccess,
    private readonly signal: AbortSignal,
  ) {
    this.#repo = { type: 'dataset', name };
    this.#fetch = createPublishFetch(access, signal);
  }

  get address(): string {
    return this.access.address;
  }

  get url(): string {
    return `${this.address}/datasets/${this.name}`;
  }

  get token(): HubToken | undefined {
    return this.access.token;
  }

  async account(): Promise<Account | undefined> {
    if (this.token === undefined) return undefined;
    const { whoAmI } = await import('@huggingface/hub');
    const response = await whoAmI({ ...this.#client(), ...WITHOUT_TOKEN });
    return {
      name: response.name,
      organizations: organizationsSchema.parse(response).orgs.map(({ name }) => name),
      // A fine-grained token has a role of its own; what it may do is seen when it is asked for.
      readsOnly: response.auth.accessToken?.role === 'read',
    };
  }

  /** @throws DataError when the Hub has the data set under another name */
  async standing(branch: string): Promise<BranchState> {
    const { datasetInfo } = await import('@huggingface/hub');
    try {
      const entry = await datasetInfo({
        ...this.#client(),
        name: this.name,
        revision: branch,
        additionalFields: ['sha'],
      });
      // It was renamed, or is written with other capitals: reading would be led there, and not all of writing is.
      if (entry.name !== this.name) {
        throw new DataError(`On the Hub, ${this.name} is named ${entry.name}. Use --repo ${entry.name}.`);
      }
      return { there: true, commit: requireCommit(entry.sha, this.name), private: entry.private };
    } catch (error) {
      if (!(error instanceof HubRefusal)) throw error;
      if (error.code === 'RevisionNotFound') return { there: false, missing: 'branch' };
      // The Hub does not reveal to others whether a data set exists.
      const isStranger = error.status === 401 && this.token === undefined;
      if (isStranger || error.status === 404) return { there: false, missing: 'data set' };
      throw error;
    }
  }

  /** @throws HubRefusal, also when a data set of that name is there already (409) */
  async make(isPrivate: boolean): Promise<void> {
    const { createRepo } = await import('@huggingface/hub');
    await createRepo({
      ...this.#client(),
      ...WITHOUT_TOKEN,
      repo: this.#repo,
      // If it is left out, the organization's own setting decides.
      ...(isPrivate && { visibility: 'private' }),
    });
  }

  /** @throws HubRefusal, also when the branch is there already (409) */
  async makeBranch(branch: string, from: string): Promise<void> {
    const { createBranch } = await import('@huggingface/hub');
    await createBranch({ ...this.#client(), repo: this.#repo, branch, revision: from });
  }

  /** @param revision a commit, a branch or a pull request's reference */
  async files(revision: string): Promise<ListedFile[]> {
    const { listFiles } = await import('@huggingface/hub');
    const entries = listFiles({
      ...this.#client(),
      repo: this.#repo,
      // The client puts it into the address as it is.
      revision: encodeURIComponent(revision),
      recursive: true,
    });
    const files: ListedFile[] = [];
    for await (const entry of entries) if (entry.type === 'file') files.push(parseListedFile(entry));
    return files;
  }

  /** Reads the card at the revision. Returns undefined when there is none. */
  async card(revision: string): Promise<string | undefined> {
    const url = `${this.url}/resolve/${encodeURIComponent(revision)}/${CARD}`;
    try {
      const response = await this.#fetch(url);
      return await response.text();
    } catch (error) {
      if (error instanceof HubRefusal && error.code === 'EntryNotFound') return undefined;
      throw error;
    }
  }

  /** References of the account's open pull requests, the newest first; empty where they are unavailable. */
  async openPullRequests(author: string): Promise<{ readonly reference: string; readonly url: string }[]> {
    const query = new URLSearchParams({ type: 'pull_request', status: 'open', author });
    const url = `${this.address}/api/datasets/${this.name}/discussions?${query.toString()}`;
    try {
      const response = await this.#fetch(url);
      return pullRequestsSchema.parse(await response.json()).discussions.map(({ num }) => ({
        reference: `refs/pr/${num}`,
        url: `${this.url}/discussions/${num}`,
      }));
    } catch (error) {
      // Its owner may have switched them off.
      if (error instanceof HubRefusal && [403, 404].includes(error.status)) return [];
      throw error;
    }
  }

  /**
   * Makes all changes in one commit. Contents that the Hub already has are not sent again.
   * @param onProgress called with the current step
   * @throws PublishError
   */
  async commit(
    { branch, parent, title, files, removed, asPullRequest }: CommitRequest,
    onProgress: (progress: CommitProgress) => void,
  ): Promise<CommitOutput> {
    const { commitIter, HubApiError } = await import('@huggingface/hub');
    for (const file of files) await requireUnchanged(file);
    // Requests that the client leaves behind when another one fails end with it.
    const failed = new AbortController();
    const signal = AbortSignal.any([failed.signal, this.signal]);
    const fail = (error: unknown) => failed.abort(error);
    const send = createPublishFetch(this.access, signal);
    const begin = (operations: CommitOperation[]) =>
      commitIter({
        hubUrl: this.address,
        fetch: async (input, init) =>
          send(input, init).catch((error: unknown) => {
            fail(error);
            throw error;
          }),
        abortSignal: signal,
        repo: this.#repo,
        branch,
        parentCommit: parent,
        title,
        operations,
        isPullRequest: asPullRequest,
      });
    const additions = files.map(({ path, contents }): CommitOperation => ({
      operation: 'addOrUpdate',
      path,
      content: watchReads(contents, fail),
    }));
    const deletions = removed.map((path): CommitOperation => ({ operation: 'delete', path }));
    const uploadAndCommit = async () => {
      for (let end = UPLOADS_AT_ONCE; end < additions.length; end += UPLOADS_AT_ONCE) {
        await follow(begin(additions.slice(end - UPLOADS_AT_ONCE, end)), onProgress, 'uploads');
      }
      return follow(begin([...additions, ...deletions]), onProgress);
    };
    try {
      // The client can lose an error in its queue of progress, and then waits forever.
      const output = await Promise.race([uploadAndCommit(), rejectAtAbort(signal)]);
      if (output !== undefined) return output;
      throw new PublishError('The Hub did not name the commit that it created.');
    } catch (error) {
      // The client throws its own error when the Hub accepts the request and rejects a single file.
      throw error instanceof HubApiError ? createFileRefusal(error) : error;
    } finally {
      failed.abort();
    }
  }

  #client(): { readonly hubUrl: string; readonly fetch: typeof fetch } {
    return { hubUrl: this.address, fetch: this.#fetch };
  }
}

/**
 * The client uploads this many files at once. When there are more, Xet's store keeps none of them before all are complete; so
 * they are uploaded in groups, and a broken upload loses only its own.
 */
const UPLOADS_AT_ONCE = 5;

/**
 * Carries out the client's steps, and reports each. Returns the commit; undefined if it ends before one.
 * @param part `uploads` to end where the client would commit
 */
async function follow(
  events: AsyncGenerator<CommitProgressEvent, CommitOutput | undefined>,
  onProgress: (progress: CommitProgress) => void,
  part?: 'uploads',
): Promise<CommitOutput | undefined> {
  for (;;) {
    const { done, value } = await events.next();
    if (done === true) return value;
    if (part === 'uploads' && value.event === 'phase' && value.phase === 'committing') break;
    reportProgress(value, onProgress);
  }
  await events.return(undefined);
  return undefined;
}

async function rejectAtAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

// The connection sends it, to the Hub only.
const WITHOUT_TOKEN = { accessToken: '' } as const;

const organizationsSchema = z.object({ orgs: z.array(z.object({ name: z.string() })).catch([]) });

const pullRequestsSchema = z.object({ discussions: z.array(z.object({ num: z.number().int() })) });

function createFileRefusal({ message, statusCode }: HubApiError): HubRefusal {
  return new HubRefusal(
    `The Hub rejected a file (${statusCode}: "${message}"). Nothing was committed. ` +
      'If the file is too large, split it with cupid export. If the storage is full, free some space.',
    { status: statusCode, code: undefined, atHub: true },
  );
}

function reportProgress(event: CommitProgressEvent, onProgress: (progress: CommitProgress) => void): void {
  if (event.event === 'phase') {
    if (event.phase !== 'preuploading') {
      onProgress({ phase: event.phase === 'committing' ? 'committing' : 'uploading' });
    }
  } else if (event.state !== 'error') {
    onProgress({ path: event.path, doing: event.state, share: event.progress });
  }
}
