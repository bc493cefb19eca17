import { createHash } from 'node:crypto';
import { DATASET_GIT_ATTRIBUTES, isLfsPath, formatLfsLine } from './hub-git-attributes';

/** A data set as a test describes it. */
export interface Repository {
  /** `owner/name` */
  readonly name: string;
  /** Paths and contents, a set for each commit (40 hexadecimal digits). Those from 1 kB on are LFS. */
  readonly commits: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>>;
  /** Branches and tags. */
  readonly refs: Readonly<Record<string, string>>;
  /** Everyone sees that it is there; only tokens that it lists may download. */
  readonly gatedFor?: readonly string[];
  /** To everyone but these tokens it does not exist. */
  readonly privateFor?: readonly string[];
}

export interface HubFile {
  readonly bytes: Buffer;
  /** Of git: of a file that is LFS, its pointer's. */
  readonly oid: string;
  readonly lfs?: { readonly oid: string; readonly size: number; readonly pointerSize: number };
  readonly xetHash?: string;
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

/** A large object that a repository has, committed or not. */
export interface LfsObject {
  readonly bytes: Buffer;
  readonly xetHash?: string;
}

export type NewCommit = Pick<HubCommit, 'title' | 'message' | 'author'>;

export class HubRepository {
  name: string;
  readonly private: boolean;
  readonly gatedFor: readonly string[] | undefined;
  /** Tokens that see a private repository beside its owner's. */
  readonly privateFor: readonly string[];
  /** Branches, tags and `refs/pr/N`. */
  readonly refs = new Map<string, string>();
  /** By SHA-256. */
  readonly objects = new Map<string, LfsObject>();
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

  /** As the Hub makes one: with a first commit that holds a `.gitattributes`. */
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

  /** By a branch, a tag, `refs/pr/N`, `HEAD` or a whole commit's id. */
  at(revision: string): HubCommit | undefined {
    const ref = revision === 'HEAD' ? 'main' : revision.replace(/^refs\/heads\//, '');
    return this.#commits.get(this.refs.get(ref) ?? ref);
  }

  /**
   * Parts the end of an address into a revision and the path in it. A revision with slashes comes encoded as one piece, and from
   * some clients as it is.
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

  /** Newest first. */
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

  /** The files of a commit, changed: content by path, nothing to remove. What is no LFS by the rules in it is regular. */
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
    const object = this.objects.get(oid) ?? { bytes };
    this.objects.set(oid, object);
    return buildLfsFile(oid, object);
  }
}

/** What a test takes for large: clients are to be sent to the store for files of a few kilobytes. */
const LARGE = 1000;

export function buildRegularFile(bytes: Buffer): HubFile {
  return { bytes, oid: gitBlob(bytes) };
}

export function buildLfsFile(oid: string, { bytes, xetHash }: LfsObject): HubFile {
  const pointer = buildPointer(oid, bytes.length);
  return {
    bytes,
    oid: gitBlob(pointer),
    lfs: { oid, size: bytes.length, pointerSize: pointer.length },
    ...(xetHash !== undefined && { xetHash }),
  };
}

export function buildPointer(oid: string, size: number): Buffer {
  return Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`);
}

export function readAttributes(files: ReadonlyMap<string, HubFile>): string {
  return files.get('.gitattributes')?.bytes.toString('utf8') ?? '';
}

/** As the Hub does by itself: LFS files that no rule names get one each. */
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

/** A minute for each commit. */
function dateOf(number: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString();
}
