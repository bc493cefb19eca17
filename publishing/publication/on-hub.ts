import { version } from '../../package.json';
import { DataError } from '../../data/store/data-error';
import { CARD } from '../../data/folders/folder';
import type { Publication, PublishedFile } from '../../schemas/dataset/publication';
import { listCardChanges, findReplacedKind } from './card-changes';
import { compareFiles, isUpToDate } from './comparison';
import { HubBrokeOff, HubRefusal, PublishError } from './error';
import type { Account, CommitProgress, HubDataSet, BranchState } from './hub-data-set';
import type { LocalFile } from './local-file';

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

/** `making` a data set that is not there, which is `made` before anything is committed to it. */
export type HubProgress = { readonly phase: 'making' | 'made' } | CommitProgress;

interface Listeners {
  readonly report: (line: string) => void;
  readonly progress: (progress: HubProgress) => void;
}

interface PublishedFolder {
  readonly files: readonly LocalFile[];
  /** The text of their card. */
  readonly card: string;
}

/**
 * Brings files to a branch of the Hub's data set in one commit, or in a pull request; makes the data set and the branch if they are
 * missing. The commit is guarded by its parent. Files are compared by content, so a repeated command sends only what is missing. After
 * a commit whose answer was lost, the state of the Hub is read instead of committing again.
 * @throws PublishError; DataError when a file changes meanwhile, or when the data set is not private as wanted
 */
export async function publishTo(
  hub: HubDataSet,
  local: PublishedFolder,
  wanted: HubRequest,
  listeners: Listeners,
): Promise<Publication> {
  try {
    return await new OnHub(hub, local, wanted, listeners).publish();
  } catch (error) {
    if (!(error instanceof HubBrokeOff)) throw error;
    throw new PublishError(
      `${error.message} Run the same command again: it checks what is already published and uploads only what is missing.`,
      { cause: error },
    );
  }
}

/** How often the commit is asked for in all, when it is not known what became of it, or an upload went wrong. */
const ATTEMPTS = 3;

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
    return this.#buildPublication(files, { unchanged: false, ...(await this.#commitOnce(parent, files)) });
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
      if (!this.wanted.dryRun) throw new PublishError(`${remedy} Nothing was published.`);
      this.listeners.report(remedy);
    }
    for (const line of listCardChanges(theirs, this.local.card, this.wanted)) this.listeners.report(line);
  }

  async #createTarget(standing: BranchState & { there: false }): Promise<string> {
    const { repo, branch } = this.wanted;
    if (standing.missing === 'data set') {
      this.listeners.report(`Creating the data set ${repo} (${this.#visibility()}).`);
      this.listeners.progress({ phase: 'making' });
      const made = await this.#createOnce(() => this.hub.make(this.wanted.private === true), MAIN).catch(
        (error: unknown) => {
          throw isConflict(error) ? this.#createNameTakenError() : error;
        },
      );
      this.listeners.progress({ phase: 'made' });
      this.#checkPrivacy(made);
      if (branch === MAIN) return made.commit;
    }
    if (branch.startsWith('refs/')) {
      throw new PublishError(
        `${repo} has no ${branch}. Name an existing pull request or a branch, or use --create-pr.`,
      );
    }
    const main = await this.hub.standing(MAIN);
    if (!main.there) {
      throw new PublishError(
        `${repo} has no branch ${MAIN} from which the branch ${branch} could be created. Publish to ${MAIN} first.`,
      );
    }
    if (standing.missing === 'branch') this.#checkPrivacy(main);
    this.listeners.report(`Creating the branch ${branch} from ${MAIN}.`);
    return (await this.#createOnce(() => this.hub.makeBranch(branch, main.commit), branch)).commit;
  }

  /**
   * Has something made once, then checks that it exists, no matter who made it or whether the answer was lost. What was made
   * may be seen only some moments later.
   * @throws HubRefusal with a conflict, when it is another's
   */
  async #createOnce(make: () => Promise<void>, branch: string): Promise<BranchState & { there: true }> {
    let made = false;
    let perhapsMade = false;
    for (let attempt = 1; ; attempt += 1) {
      const failed: unknown = made ? undefined : await catchFailure(make());
      if (failed !== undefined && !isUncertain(failed) && !isConflict(failed))
        throw this.#explainError(failed);
      const standing = await this.hub.standing(branch);
      if (standing.there) return standing;
      const exists = isConflict(failed) && !isInProgress(failed);
      made ||= failed === undefined || (exists && perhapsMade);
      perhapsMade ||= isUncertain(failed);
      // Another's may be so new that it is seen at the second look.
      const hidden = exists && !made && attempt > 1;
      const reason = made
        ? `The Hub created ${branch === MAIN ? this.wanted.repo : `the branch ${branch}`}, but does not show it yet.`
        : describeProblem(failed);
      if (!hidden && (await this.hub.pause({ reason, attempt }))) continue;
      throw made
        ? new PublishError(
            `The Hub does not show ${branch === MAIN ? this.wanted.repo : `the branch ${branch}`} yet, although it created it. Run the same command again in a few minutes.`,
          )
        : failed;
    }
  }

  #createNameTakenError(): PublishError {
    const { repo } = this.wanted;
    return new PublishError(
      `The name ${repo} is taken by a data set that the token of ${this.#account?.name ?? 'this account'} has no access to. Use a token that has access, choose another --repo, or ask the owner for access.`,
    );
  }

  #compareFiles(remote: Parameters<typeof compareFiles>[1]): PublishedFile[] {
    return compareFiles(this.local.files, remote, this.wanted.prune === true);
  }

  /** Makes the commit, or the pull request with it, once, even when the answer is lost. */
  async #commitOnce(
    parent: string,
    files: readonly PublishedFile[],
  ): Promise<Pick<Publication, 'commit' | 'pullRequest'>> {
    const pathsOf = (...states: PublishedFile['state'][]) =>
      new Set(files.filter(({ state }) => states.includes(state)).map(({ path }) => path));
    const sent = pathsOf('new', 'changed');
    for (let attempt = 1; ; attempt += 1) {
      let asked = false;
      try {
        const { commit, pullRequestUrl } = await this.hub.commit(
          {
            branch: this.wanted.branch,
            parent,
            title: `Publish with cupid ${version}`,
            files: this.local.files.filter(({ path }) => sent.has(path)),
            removed: [...pathsOf('removed')],
            asPullRequest: this.wanted.createPr === true,
          },
          (progress) => {
            if ('phase' in progress) asked = progress.phase === 'committing';
            this.listeners.progress(progress);
          },
        );
        return { commit: commit.oid, ...(pullRequestUrl !== undefined && { pullRequest: pullRequestUrl }) };
      } catch (error) {
        const there = asked ? await this.#findCommitAfter(error, parent) : undefined;
        if (there !== undefined) return there;
        const again = attempt < ATTEMPTS && mayBeAskedAgain(error, asked);
        const failed = { reason: describeProblem(error), attempt, maxAttempts: ATTEMPTS };
        if (!again || !(await this.hub.pause(failed))) throw this.#explainError(error);
      }
    }
  }

  /**
   * Looks for a commit that has the files, after one that got no answer or was rejected because of another.
   * @throws PublishError when the existing one belongs to somebody else
   */
  async #findCommitAfter(
    error: unknown,
    parent: string,
  ): Promise<Pick<Publication, 'commit' | 'pullRequest'> | undefined> {
    if (!isUncertain(error) && !isConflict(error)) return undefined;
    if (this.wanted.createPr) {
      const pullRequest = await this.#findPullRequest();
      return pullRequest === undefined ? undefined : { pullRequest };
    }
    const now = await this.hub.standing(this.wanted.branch);
    if (now.there && now.commit !== parent) {
      if (isUpToDate(this.#compareFiles(await this.hub.files(now.commit)))) return { commit: now.commit };
      throw this.#createOvertakenError();
    }
    return undefined;
  }

  #createOvertakenError(): PublishError {
    const { branch, repo } = this.wanted;
    return new PublishError(
      `Branch ${branch} of ${repo} received another commit in the meantime, so nothing was committed. Run the same command again: ` +
        'it compares with the new commit and uploads only what is missing.',
    );
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
    if (error.status === 412) return this.#createOvertakenError();
    if (error.status !== 403) return error;
    if (/storage|quota|billing/i.test(error.message)) {
      return new PublishError(
        `${error.message} The cause is the storage, not the token. Follow the Hub's message, then run the same command again.`,
        { cause: error },
      );
    }
    const { repo, createPr } = this.wanted;
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

function isUncertain(error: unknown): boolean {
  return error instanceof HubBrokeOff || (error instanceof HubRefusal && error.failed && error.atHub);
}

/** @param asked whether the commit itself was asked for, and not only the uploads before it */
function mayBeAskedAgain(error: unknown, asked: boolean): boolean {
  // A conflict without another commit is one with an operation in progress at the Hub.
  if (asked) return isUncertain(error) || isConflict(error);
  // The store may have given up its place for the upload.
  return error instanceof HubRefusal && !error.atHub && !error.failed;
}

/** Describes the problem without the remedy. */
function describeProblem(error: unknown): string {
  return error instanceof PublishError ? error.problem : String(error);
}

async function catchFailure(work: Promise<void>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function isConflict(error: unknown): boolean {
  return error instanceof HubRefusal && error.atHub && [409, 412].includes(error.status);
}

/** Returns whether the Hub is still creating another data set of the account, as it creates one at a time. */
function isInProgress(error: unknown): boolean {
  return error instanceof HubRefusal && /in progress/i.test(error.message);
}
