import { version } from '../../package.json';
import { DataError } from '../../data/store/data-error';
import { readCard } from '../../data/card/read';
import { CARD } from '../../data/folders/folder';
import type { Publication, PublishedFile } from '../../schemas/dataset/publication';
import { listCardChanges, findReplacedKind } from './card-changes';
import { compareFiles, isUpToDate } from './comparison';
import { HubBrokeOff, HubRefusal, PublishError } from './error';
import type { Account, CommitProgress, HubDataSet, BranchState } from './hub-data-set';
import { requireUnchanged, type LocalFile } from './local-file';

export interface HubRequest {
  /** `owner/name` */
  readonly repo: string;
  /** When it is made. */
  readonly private?: boolean;
  /** Asked for in the place of the card's own. */
  readonly license?: string;
  readonly branch: string;
  readonly createPr?: boolean;
  /** Whether all that only the Hub has is removed, not only data files that the card names. */
  readonly prune?: boolean;
  /** Whether a data set of another kind (instances, records) may be replaced. */
  readonly replaceKind?: boolean;
  /** Reads and reports, and changes nothing. */
  readonly dryRun?: boolean;
}

interface Listeners {
  readonly report: (line: string) => void;
  readonly progress: (progress: CommitProgress) => void;
}

interface PublishedFolder {
  readonly files: readonly LocalFile[];
  /** The text of their card. */
  readonly card: string;
}

/**
 * Brings files to a branch of the Hub's data set in one commit, or in a pull request; makes the data set and the branch if they are
 * missing. The commit is guarded by its parent. Files are compared by content, so a repeated command sends only what is missing. After
 * a commit whose answer was lost, the state of the Hub is read once. A dry run needs no Hub: without one, it lists the files.
 * @throws PublishError; DataError when the data set is not private as wanted
 */
export async function publishTo(
  hub: HubDataSet,
  local: PublishedFolder,
  request: HubRequest,
  listeners: Listeners,
): Promise<Publication> {
  return new OnHub(hub, local, request, listeners).publish();
}

class OnHub {
  /** Undefined for a dry run without a token. */
  #account: Account | undefined;

  constructor(
    private readonly hub: HubDataSet,
    private readonly local: PublishedFolder,
    private readonly request: HubRequest,
    private readonly listeners: Listeners,
  ) {}

  async publish(): Promise<Publication> {
    try {
      return await this.#publish();
    } catch (error) {
      if (!this.request.dryRun || !(error instanceof HubBrokeOff)) throw error;
      this.listeners.report(`${error.message} The files are listed without a comparison with the Hub.`);
      return this.#buildPublication(this.#compareFiles(undefined), { unchanged: false });
    }
  }

  async #publish(): Promise<Publication> {
    const { branch, dryRun, createPr } = this.request;
    this.#account = await this.hub.account();
    this.#requireWriter();
    const state = await this.hub.standing(branch);
    this.#checkPrivacy(state);
    if (dryRun) return this.#previewPublication(state);
    const parent = state.there ? state.commit : await this.#createTarget(state);
    const files = this.#compareFiles(await this.hub.files(parent));
    if (isUpToDate(files)) return this.#buildPublication(files, { unchanged: true, commit: parent });
    const openPullRequest = createPr ? await this.#findPullRequest() : undefined;
    if (openPullRequest !== undefined)
      return this.#buildPublication(files, { unchanged: true, pullRequest: openPullRequest });
    await this.#reportCardChanges(parent, files);
    return this.#buildPublication(files, { unchanged: false, ...(await this.#commit(parent, files)) });
  }

  #requireWriter(): void {
    if (this.#account?.readsOnly !== true) return;
    const { token } = this.hub;
    const problem =
      `The token${token === undefined ? '' : ` from ${token.from}`} has no write permission. Create one that has it at ` +
      `${this.hub.address}/settings/tokens.`;
    if (!this.request.dryRun) throw new PublishError(`${problem} Nothing was changed on the Hub.`);
    this.listeners.report(problem);
  }

  /** Compares the data set's privacy with the requested one, because data that was public once cannot be taken back. */
  #checkPrivacy(state: BranchState): void {
    const { repo } = this.request;
    const isPrivate = this.request.private === true;
    if (!state.there || state.private === isPrivate) return;
    if (state.private) {
      this.listeners.report(
        `${repo} is private on the Hub: only users with access to it will see what is published.`,
      );
      return;
    }
    throw new DataError(
      `${repo} already exists on the Hub and is public, but --private only applies to a new data set. ` +
        `Make it private in its settings (${this.hub.url}/settings), choose another --repo, or remove --private.`,
    );
  }

  async #previewPublication(state: BranchState): Promise<Publication> {
    const { branch, repo } = this.request;
    if (!state.there) {
      const [missing, visibility] =
        state.missing === 'branch'
          ? [`Branch ${branch} of ${repo} does not exist`, '']
          : [`${repo} does not exist`, `, ${this.#visibility()}`];
      const limitation = this.#account === undefined ? ', as far as can be seen without a token' : '';
      this.listeners.report(`${missing} on the Hub${limitation}. It would be created${visibility}.`);
    }
    this.#reportWriteAccess(state);
    const start = state.there || state.missing === 'data set' ? state : await this.hub.standing(MAIN);
    if (start !== state) this.#checkPrivacy(start);
    const remote = start.there ? await this.hub.files(start.commit) : [];
    const files = this.#compareFiles(remote);
    if (start.there) await this.#reportCardChanges(start.commit, files);
    return this.#buildPublication(files, {
      unchanged: state.there && isUpToDate(files),
      ...(state.there && { commit: state.commit }),
    });
  }

  /** As a data set is made. */
  #visibility(): string {
    const { repo, private: isPrivate } = this.request;
    const [owner] = repo.split('/');
    if (isPrivate) return 'private';
    // An organization may make its data sets private by default.
    return this.#account === undefined || this.#ownsNamespace()
      ? 'public'
      : `public unless the settings of ${owner} say otherwise`;
  }

  #ownsNamespace(): boolean {
    return this.#account?.name.toLowerCase() === this.request.repo.split('/')[0]?.toLowerCase();
  }

  /** Reports that the account may lack write access. If it is not known to belong to the namespace, only the Hub's answer shows it. */
  #reportWriteAccess(state: BranchState): void {
    const { repo, createPr } = this.request;
    const [owner = ''] = repo.split('/');
    const account = this.#account;
    if (account === undefined || account.readsOnly || this.#ownsNamespace()) return;
    if (account.organizations.some((name) => name.toLowerCase() === owner.toLowerCase())) return;
    const isThere = state.there || state.missing === 'branch';
    // Anybody may propose.
    if (isThere && createPr) return;
    const permission = isThere ? `write to ${repo}` : `create data sets for ${owner}`;
    this.listeners.report(
      `The token belongs to ${account.name}. Whether it may ${permission} is known only when it is tried.`,
    );
  }

  /** Reports changes of the card that the user should know beforehand, and stops at a data set of another kind. */
  async #reportCardChanges(parent: string, files: readonly PublishedFile[]): Promise<void> {
    if (!files.some(({ path, state }) => path === CARD && state === 'changed')) return;
    const remoteCard = await this.hub.card(parent);
    if (remoteCard === undefined) return;
    const replaced = findReplacedKind(remoteCard, this.local.card, this.request.repo);
    if (replaced !== undefined && !this.request.replaceKind) {
      const remedy = `${replaced} Choose another --repo, or add --replace-kind to replace it.`;
      if (!this.request.dryRun) {
        throw new PublishError(`${remedy} Nothing was published.`, { again: ['--replace-kind'] });
      }
      this.listeners.report(remedy);
    }
    for (const line of listCardChanges(remoteCard, this.local.card, this.request))
      this.listeners.report(line);
  }

  /** Creates the data set and the branch where they are missing. Returns the commit to publish on. */
  async #createTarget(state: BranchState & { there: false }): Promise<string> {
    const { repo, branch } = this.request;
    const isNew = state.missing === 'data set';
    if (isNew) {
      this.listeners.report(`Creating the data set ${repo} (${this.#visibility()}).`);
      await this.hub.make(this.request.private === true).catch((error: unknown) => {
        throw isConflict(error) ? this.#createNameTakenError(error) : this.#explainError(error);
      });
    }
    if (branch.startsWith('refs/')) {
      throw new PublishError(
        `${repo} has no ${branch}. Name an existing pull request or a branch, or use --create-pr.`,
        { again: false },
      );
    }
    const main = await this.hub.standing(MAIN);
    if (!main.there) throw this.#createNoMainError(isNew);
    this.#checkPrivacy(main);
    if (branch === MAIN) return main.commit;
    this.listeners.report(`Creating the branch ${branch} from ${MAIN}.`);
    await this.hub.makeBranch(branch, main.commit).catch((error: unknown) => {
      throw this.#explainError(error);
    });
    return main.commit;
  }

  #createNameTakenError(error: HubRefusal): PublishError {
    const { repo } = this.request;
    return new PublishError(
      `${error.message} If ${repo} is a data set that the token of ${this.#account?.name ?? 'this account'} has no access to, use a token that has, choose another --repo, or ask the owner for access.`,
      { cause: error },
    );
  }

  #createNoMainError(isNew: boolean): PublishError {
    const { repo, branch } = this.request;
    return isNew
      ? new PublishError(`The Hub does not show ${repo} yet, although it created it. Wait a few minutes.`)
      : new PublishError(
          `${repo} has no branch ${MAIN} from which the branch ${branch} could be created. Publish to ${MAIN} first.`,
          { again: false },
        );
  }

  #compareFiles(remote: Parameters<typeof compareFiles>[1]): PublishedFile[] {
    const patterns = readCard(this.local.card).files ?? [];
    return compareFiles(this.local.files, remote, { patterns, prune: this.request.prune === true });
  }

  /** Makes the commit, or the pull request with it. */
  async #commit(
    parent: string,
    files: readonly PublishedFile[],
  ): Promise<Pick<Publication, 'commit' | 'pullRequest'>> {
    const listPaths = (...states: PublishedFile['state'][]) =>
      files.filter(({ state }) => states.includes(state)).map(({ path }) => path);
    const paths = new Set(listPaths('new', 'changed'));
    const sentFiles = this.local.files.filter(({ path }) => paths.has(path));
    let isCommitting = false;
    try {
      const { commit, pullRequestUrl } = await this.hub.commit(
        {
          branch: this.request.branch,
          parent,
          title: `Publish with cupid ${version}`,
          files: sentFiles,
          removed: listPaths('removed'),
          asPullRequest: this.request.createPr === true,
        },
        (progress) => {
          if ('phase' in progress) isCommitting = progress.phase === 'committing';
          this.listeners.progress(progress);
        },
      );
      return { commit: commit.oid, ...(pullRequestUrl !== undefined && { pullRequest: pullRequestUrl }) };
    } catch (error) {
      if (isCommitting && isUncertain(error)) {
        const result = await this.#findCommit().catch(() => undefined);
        if (result === undefined) throw error;
        return result;
      }
      // A file that cannot be read any more fails anywhere in the client.
      for (const file of sentFiles) await requireUnchanged(file);
      throw this.#explainError(error);
    }
  }

  /** Looks once whether the branch, or an open pull request, has the files: for a commit whose answer was lost. */
  async #findCommit(): Promise<Pick<Publication, 'commit' | 'pullRequest'> | undefined> {
    if (this.request.createPr) {
      const pullRequest = await this.#findPullRequest();
      return pullRequest === undefined ? undefined : { pullRequest };
    }
    const head = await this.hub.standing(this.request.branch);
    if (!head.there || !isUpToDate(this.#compareFiles(await this.hub.files(head.commit)))) return undefined;
    return { commit: head.commit };
  }

  /** Returns the address of an open pull request of the account that already has the files. */
  async #findPullRequest(): Promise<string | undefined> {
    if (this.#account === undefined) return undefined;
    for (const { reference, url } of await this.hub.openPullRequests(this.#account.name)) {
      if (isUpToDate(this.#compareFiles(await this.hub.files(reference)))) return url;
    }
    return undefined;
  }

  #explainError(error: unknown): unknown {
    if (!(error instanceof HubRefusal) || !error.atHub) return error;
    const { repo, branch, createPr } = this.request;
    if (error.status === 412) {
      return new PublishError(
        `Branch ${branch} of ${repo} received another commit in the meantime, so nothing was committed. The next attempt compares with it.`,
        { cause: error },
      );
    }
    if (error.status !== 403) return error;
    if (/storage|quota|billing/i.test(error.message)) {
      return new PublishError(
        `${error.message} The cause is the storage, not the token. Follow the Hub's message.`,
        { cause: error },
      );
    }
    const owner = this.#account?.name ?? 'this account';
    const [, name] = repo.split('/');
    const alternative = createPr
      ? ''
      : `, propose the change with --create-pr if the data set exists, or publish with --repo ${owner}/${name}`;
    return new PublishError(
      `${error.message} The token belongs to ${owner}. Use a token with write permission for ${repo}, ask its owner for permission${alternative}.`,
      { cause: error },
    );
  }

  #buildPublication(
    files: readonly PublishedFile[],
    outcome: Pick<Publication, 'unchanged' | 'commit' | 'pullRequest'>,
  ): Publication {
    const { repo, branch, dryRun } = this.request;
    return {
      repo,
      url: branch === MAIN ? this.hub.url : `${this.hub.url}/tree/${encodeURIComponent(branch)}`,
      branch,
      ...outcome,
      dryRun: dryRun === true,
      files: [...files],
    };
  }
}

const MAIN = 'main';

/** Returns whether the Hub may have done what it was asked. */
function isUncertain(error: unknown): boolean {
  return error instanceof HubBrokeOff || (error instanceof HubRefusal && error.atHub && error.status >= 500);
}

function isConflict(error: unknown): error is HubRefusal {
  return error instanceof HubRefusal && error.status === 409;
}
