import { createHash } from 'node:crypto';
import { DATASET_GIT_ATTRIBUTES, isLfsPath, formatLfsLine } from './hub-git-attributes';

/** A data set as a test describes it. */
export interface Repository {
  /** `owner/name` */
  readonly name: string;
  /** Paths and contents for each commit (40 hexadecimal digits). Files from 1 kB on are LFS. */
  readonly commits: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>>;
  /** Branches and tags. */
  readonly refs: Readonly<Record<string, string>>;
  /** Everyone can see it, but only these tokens may download it. */
  readonly gatedFor?: readonly string[];
  /** For everyone but these tokens it does not exist. */
  readonly privateFor?: readonly string[];
}

export interface HubFile {
  readonly bytes: Buffer;
  /** Id in git; for an LFS file, the pointer's. */
  readonly oid: string;
  readonly lfs?: { readonly oid: string; readonly size: number; readonly pointerSize: number };
}

export interface HubCommit {
  readonly id: string;
  readonly title: string;
  readonly message: string;
  readonly parent: string | undefined;
  readonly author: string;
  readonly date: string;
  readonly files: ReadonlyMap<string, HubFile>;
}

export type NewCommit = Pick<HubCommit, 'title' | 'message' | 'author'>;

export class HubRepository {
  name: string;
  readonly private: boolean;
  readonly gatedFor: readonly string[] | undefined;
  /** Tokens that see a private repository, besides its owner's. */
  readonly privateFor: readonly string[];
  /** Branches, tags and `refs/pr/N`. */
  readonly refs = new Map<string, string>();
  /** Large files by SHA-256, committed or not. */
  readonly objects = new Map<string, Buffer>();
  readonly #commits = new Map<string, HubCommit>();

  private constructor(
    name: string,
    seen: Pick<Repository, 'gatedFor' | 'privateFor'> & { private: boolean },
  ) {
    this.name = name;
    this.private = seen.private;
    this.gatedFor = seen.gatedFor;
    this.privateFor = seen.privateFor ?? [];
  }

  static described(given: Repository): HubRepository {
    const made = new HubRepository(given.name, { ...given, private: given.privateFor !== undefined });
    for (const [id, contents] of Object.entries(given.commits)) {
      const files = Object.entries(contents).map(([path, content]): [string, HubFile] => {
        const bytes = Buffer.from(content);
        return [path, bytes.length < LARGE ? buildRegularFile(bytes) : made.#stored(bytes)];
      });
      made.#commits.set(id, {
        id,
        title: 'as described',
        message: '',
        parent: undefined,
        author: made.namespace,
        date: dateOf(0),
        files: new Map(files),
      });
    }
    for (const [ref, commit] of Object.entries(given.refs)) made.refs.set(ref, commit);
    return made;
  }

  /** Creates one as the Hub does: with a first commit that contains a `.gitattributes`. */
  static created(name: string, isPrivate: boolean, author: string): HubRepository {
    const made = new HubRepository(name, { private: isPrivate });
    const attributes = buildRegularFile(Buffer.from(DATASET_GIT_ATTRIBUTES));
    made.commit('main', undefined, new Map([['.gitattributes', attributes]]), {
      title: 'initial commit',
      message: '',
      author,
    });
    return made;
  }

  get namespace(): string {
    return this.name.split('/')[0] ?? '';
  }

  /** Finds a commit by a branch, a tag, `refs/pr/N`, `HEAD` or a full id. */
  at(revision: string): HubCommit | undefined {
    const ref = revision === 'HEAD' ? 'main' : revision.replace(/^refs\/heads\//, '');
    return this.#commits.get(this.refs.get(ref) ?? ref);
  }

  /**
   * Splits the end of an address into a revision and its path. A revision with slashes is encoded as one piece by most clients, but not by
   * all.
   */
  revisionIn(rest: string): { revision: string; path: string } {
    const whole = decodeURIComponent(rest);
    const ref = [...this.refs.keys()].find(
      (known) => known.includes('/') && (whole === known || whole.startsWith(`${known}/`)),
    );
    if (ref !== undefined) return { revision: ref, path: whole.slice(ref.length + 1) };
    const [revision = '', ...path] = rest.split('/');
    return { revision: decodeURIComponent(revision), path: decodeURIComponent(path.join('/')) };
  }

  /** Lists the commits, newest first. */
  log(revision: string): HubCommit[] {
    const commits: HubCommit[] = [];
    let next = this.at(revision);
    while (next !== undefined) {
      commits.push(next);
      next = next.parent === undefined ? undefined : this.#commits.get(next.parent);
    }
    return commits;
  }

  /** Sets the ref to a new commit with exactly these files. */
  commit(
    ref: string,
    parent: string | undefined,
    files: ReadonlyMap<string, HubFile>,
    about: NewCommit,
  ): HubCommit {
    const number = this.#commits.size;
    const content = [...files].map(([path, { oid }]) => `${path} ${oid}`).join('\n');
    const id = computeSha1(`${this.name} ${number} ${parent} ${about.title}\n${content}`);
    const commit: HubCommit = { id, parent, date: dateOf(number), files, ...about };
    this.#commits.set(id, commit);
    this.refs.set(ref, id);
    return commit;
  }

  /** Returns the files of a commit with changes: content by path, or nothing to remove one. Files without an LFS rule are regular. */
  changed(
    parent: HubCommit,
    changes: Readonly<Record<string, string | Buffer | undefined>>,
  ): Map<string, HubFile> {
    const files = new Map(parent.files);
    for (const [path, content] of Object.entries(changes)) {
      if (content === undefined) {
        files.delete(path);
        continue;
      }
      const bytes = Buffer.from(content);
      files.set(path, isLfsPath(readAttributes(files), path) ? this.#stored(bytes) : buildRegularFile(bytes));
    }
    return files;
  }

  #stored(bytes: Buffer): HubFile {
    const oid = createHash('sha256').update(bytes).digest('hex');
    this.objects.set(oid, bytes);
    return buildLfsFile(oid, bytes);
  }
}

/** Size of a large file in tests: clients must be sent to the store for a few kilobytes. */
const LARGE = 1000;

export function buildRegularFile(bytes: Buffer): HubFile {
  return { bytes, oid: gitBlob(bytes) };
}

export function buildLfsFile(oid: string, bytes: Buffer): HubFile {
  const pointer = buildPointer(oid, bytes.length);
  return {
    bytes,
    oid: gitBlob(pointer),
    lfs: { oid, size: bytes.length, pointerSize: pointer.length },
  };
}

function buildPointer(oid: string, size: number): Buffer {
  return Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`);
}

export function readAttributes(files: ReadonlyMap<string, HubFile>): string {
  return files.get('.gitattributes')?.bytes.toString('utf8') ?? '';
}

/** Adds a rule for each LFS file that no rule names, as the Hub does by itself. */
export function withLfsRules(files: Map<string, HubFile>): Map<string, HubFile> {
  const attributes = readAttributes(files);
  const missing = [...files].filter(([path, { lfs }]) => lfs !== undefined && !isLfsPath(attributes, path));
  if (missing.length === 0) return files;
  const lines = missing.map(([path]) => formatLfsLine(path)).join('');
  return files.set('.gitattributes', buildRegularFile(Buffer.from(attributes + lines)));
}

function gitBlob(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

export function computeSha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** Returns a date, one minute later for each commit. */
function dateOf(number: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString();
}
