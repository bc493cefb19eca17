import { version } from '../../package.json';
import { DataError } from '../../data/store/data-error';
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
  /** Whether what only the Hub has is removed. */
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
  wanted: HubRequest,
  listeners: Listeners,
): Promise<Publication> {
  return await new OnHub(hub, local, wanted, listeners).publish();
}

class OnHub {
  /** Undefined for a dry run without a token. */
  #account: Account | undefined;

  constructor(
    private readonly hub: HubDataSet,
    private readonly local: PublishedFolder,
    private readonly wanted: HubRequest,
    private readonly listeners: Listeners,
  ) {}

  async publish(): Promise<Publication> {
    try {
      return await this.#publish();
    } catch (error) {
      if (!this.wanted.dryRun || !(error instanceof HubBrokeOff)) throw error;
      this.listeners.report(`${error.message} The files are listed without a comparison with the Hub.`);
      return this.#buildPublication(this.#compareFiles(undefined), { unchanged: false });
    }
  }

  async #publish(): Promise<Publication> {
    const { branch, dryRun, createPr } = this.wanted;
    this.#account = await this.hub.account();
    this.#requireWriter();
    const standing = await this.hub.standing(branch);
    this.#checkPrivacy(standing);
    if (dryRun) return await this.#previewPublication(standing);
    const parent = standing.there ? standing.commit : await this.#createTarget(standing);
    const files = this.#compareFiles(await this.hub.files(parent));
    if (isUpToDate(files)) return this.#buildPublication(files, { unchanged: true, commit: parent });
    const proposed = createPr ? await this.#findPullRequest() : undefined;
    if (proposed !== undefined)
      return this.#buildPublication(files, { unchanged: true, pullRequest: proposed });
    await this.#reportCardChanges(parent, files);
    return this.#buildPublication(files, { unchanged: false, ...(await this.#commit(parent, files)) });
  }

  #requireWriter(): void {
    if (this.#account?.readsOnly !== true) return;
    const { token } = this.hub;
    const problem =
      `The token${token === undefined ? '' : ` from ${token.from}`} has no write permission. Create one that has it at ` +
      `${this.hub.address}/settings/tokens.`;
    if (!this.wanted.dryRun) throw new PublishError(`${problem} Nothing was changed on the Hub.`);
    this.listeners.report(problem);
  }

  /** Compares the data set's privacy with the requested one, because data that was public once cannot be taken back. */
  #checkPrivacy(standing: BranchState): void {
    const { repo } = this.wanted;
    const wanted = this.wanted.private === true;
    if (!standing.there || standing.private === wanted) return;
    if (standing.private) {
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

  async #previewPublication(standing: BranchState): Promise<Publication> {
    const { branch, repo } = this.wanted;
    if (!standing.there) {
      const [missing, how] =
        standing.missing === 'branch'
          ? [`Branch ${branch} of ${repo} does not exist`, '']
          : [`${repo} does not exist`, `, ${this.#visibility()}`];
      const seen = this.#account === undefined ? ', as far as can be seen without a token' : '';
      this.listeners.report(`${missing} on the Hub${seen}. It would be created${how}.`);
    }
    this.#reportWriteAccess(standing);
    const start =
      standing.there || standing.missing === 'data set' ? standing : await this.hub.standing(MAIN);
    if (start !== standing) this.#checkPrivacy(start);
    const remote = start.there ? await this.hub.files(start.commit) : [];
    const files = this.#compareFiles(remote);
    if (start.there) await this.#reportCardChanges(start.commit, files);
    return this.#buildPublication(files, {
      unchanged: standing.there && isUpToDate(files),
      ...(standing.there && { commit: standing.commit }),
    });
  }

  /** As a data set is made. */
  #visibility(): string {
    const { repo, private: wanted } = this.wanted;
    const [owner] = repo.split('/');
    if (wanted) return 'private';
    // An organization may make its data sets private by default.
    return this.#account === undefined || this.#ownsNamespace()
      ? 'public'
      : `public unless the settings of ${owner} say otherwise`;
  }

  #ownsNamespace(): boolean {
    return this.#account?.name.toLowerCase() === this.wanted.repo.split('/')[0]?.toLowerCase();
  }

  /** Reports that the account may lack write access. If it is not known to belong to the namespace, only the Hub's answer shows it. */
  #reportWriteAccess(standing: BranchState): void {
    const { repo, createPr } = this.wanted;
    const [owner = ''] = repo.split('/');
    const account = this.#account;
    if (account === undefined || account.readsOnly || this.#ownsNamespace()) return;
    if (account.organizations.some((name) => name.toLowerCase() === owner.toLowerCase())) return;
    const isThere = standing.there || standing.missing === 'branch';
    // Anybody may propose.
    if (isThere && createPr) return;
    const what = isThere ? `write to ${repo}` : `create data sets for ${owner}`;
    this.listeners.report(
      `The token belongs to ${account.name}. Whether it may ${what} is known only when it is tried.`,
    );
  }

  /** Reports changes of the card that the user should know beforehand, and stops at a data set of another kind. */
  async #reportCardChanges(parent: string, files: readonly PublishedFile[]): Promise<void> {
    if (!files.some(({ path, state }) => path === CARD && state === 'changed')) return;
    const theirs = await this.hub.card(parent);
    if (theirs === undefined) return;
    const replaced = findReplacedKind(theirs, this.local.card, this.wanted.repo);
    if (replaced !== undefined && !this.wanted.replaceKind) {
      const remedy = `${replaced} Choose another --repo, or add --replace-kind to replace it.`;
      if (!this.wanted.dryRun) {
        throw new PublishError(`${remedy} Nothing was published.`, { again: ['--replace-kind'] });
      }
      this.listeners.report(remedy);
    }
    for (const line of listCardChanges(theirs, this.local.card, this.wanted)) this.listeners.report(line);
  }

  /** Creates the data set and the branch where they are missing. Returns the commit to publish on. */
  async #createTarget(standing: BranchState & { there: false }): Promise<string> {
    const { repo, branch } = this.wanted;
    const isNew = standing.missing === 'data set';
    if (isNew) {
      this.listeners.report(`Creating the data set ${repo} (${this.#visibility()}).`);
      await this.hub.make(this.wanted.private === true).catch((error: unknown) => {
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
    const { repo } = this.wanted;
    return new PublishError(
      `${error.message} If ${repo} is a data set that the token of ${this.#account?.name ?? 'this account'} has no access to, use a token that has, choose another --repo, or ask the owner for access.`,
      { cause: error },
    );
  }

  #createNoMainError(isNew: boolean): PublishError {
    const { repo, branch } = this.wanted;
    return isNew
      ? new PublishError(`The Hub does not show ${repo} yet, although it created it. Wait a few minutes.`)
      : new PublishError(
          `${repo} has no branch ${MAIN} from which the branch ${branch} could be created. Publish to ${MAIN} first.`,
          { again: false },
        );
  }

  #compareFiles(remote: Parameters<typeof compareFiles>[1]): PublishedFile[] {
    return compareFiles(this.local.files, remote, this.wanted.prune === true);
  }

  /** Makes the commit, or the pull request with it. */
  async #commit(
    parent: string,
    files: readonly PublishedFile[],
  ): Promise<Pick<Publication, 'commit' | 'pullRequest'>> {
    const listPaths = (...states: PublishedFile['state'][]) =>
      files.filter(({ state }) => states.includes(state)).map(({ path }) => path);
    const paths = new Set(listPaths('new', 'changed'));
    const sent = this.local.files.filter(({ path }) => paths.has(path));
    let asked = false;
    try {
      const { commit, pullRequestUrl } = await this.hub.commit(
        {
          branch: this.wanted.branch,
          parent,
          title: `Publish with cupid ${version}`,
          files: sent,
          removed: listPaths('removed'),
          asPullRequest: this.wanted.createPr === true,
        },
        (progress) => {
          if ('phase' in progress) asked = progress.phase === 'committing';
          this.listeners.progress(progress);
        },
      );
      return { commit: commit.oid, ...(pullRequestUrl !== undefined && { pullRequest: pullRequestUrl }) };
    } catch (error) {
      if (asked && isUncertain(error)) {
        const made = await this.#findCommit().catch(() => undefined);
        if (made === undefined) throw error;
        return made;
      }
      // A file that cannot be read any more fails anywhere in the client.
      for (const file of sent) await requireUnchanged(file);
      throw this.#explainError(error);
    }
  }

  /** Looks once whether the branch, or an open pull request, has the files: for a commit whose answer was lost. */
  async #findCommit(): Promise<Pick<Publication, 'commit' | 'pullRequest'> | undefined> {
    if (this.wanted.createPr) {
      const pullRequest = await this.#findPullRequest();
      return pullRequest === undefined ? undefined : { pullRequest };
    }
    const head = await this.hub.standing(this.wanted.branch);
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
    const { repo, branch, createPr } = this.wanted;
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
    const who = this.#account?.name ?? 'this account';
    const [, name] = repo.split('/');
    const otherWay = createPr
      ? ''
      : `, propose the change with --create-pr if the data set exists, or publish with --repo ${who}/${name}`;
    return new PublishError(
      `${error.message} The token belongs to ${who}. Use a token with write permission for ${repo}, ask its owner for permission${otherWay}.`,
      { cause: error },
    );
  }

  #buildPublication(
    files: readonly PublishedFile[],
    done: Pick<Publication, 'unchanged' | 'commit' | 'pullRequest'>,
  ): Publication {
    const { repo, branch, dryRun } = this.wanted;
    return {
      repo,
      url: branch === MAIN ? this.hub.url : `${this.hub.url}/tree/${encodeURIComponent(branch)}`,
      branch,
      ...done,
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
