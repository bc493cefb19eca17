import * as z from 'zod';
import { listMetadataErrors, answerNoRevision, type Place } from './hub-api';
import { isLfsPath } from './hub-git-attributes';
import { answerJson, answerRefusal, type Answer, type Call } from './hub-http';
import {
  readAttributes,
  HubRepository,
  buildLfsFile,
  buildRegularFile,
  withLfsRules,
  type HubCommit,
  type HubFile,
} from './hub-repository';
import { isMember, mayWrite, type HubUser } from './hub-users';

/** Larger files are always LFS, and are refused as regular ones. */
const REGULAR_LIMIT = 10 * 1024 * 1024;

const createSchema = z.object({
  type: z.string().optional(),
  name: z.string(),
  organization: z.string().nullish(),
  visibility: z.enum(['public', 'private', 'protected']).optional(),
  private: z.boolean().optional(),
  license: z.string().optional(),
});

/** Handles `POST /api/repos/create`. */
export function createRepository(
  call: Call,
  user: HubUser,
  repositories: Map<string, HubRepository>,
): Answer {
  const asked = createSchema.parse(jsonOf(call));
  const namespace = asked.organization ?? user.name;
  const name = `${namespace}/${asked.name}`;
  if (asked.type !== 'dataset')
    return answerRefusal(400, `The stand-in makes no ${asked.type ?? 'model'}, only data sets.`);
  if (!mayWrite(user, name) || !isMember(user, namespace)) {
    return answerRefusal(
      403,
      `You don't have the rights to create a dataset under the namespace "${namespace}"`,
    );
  }
  if (!/^[\w.-]{1,96}$/.test(asked.name) || /^[-.]|[-.]$|--|\.\.|\.git$/.test(asked.name)) {
    return answerRefusal(400, `Invalid repo name: ${name}`);
  }
  const url = `${call.hub}/datasets/${name}`;
  if (repositories.has(name)) {
    return { ...answerJson(409, { error: `You already created this dataset repo: ${name}`, url }) };
  }
  const isPrivate = asked.visibility === undefined ? asked.private === true : asked.visibility === 'private';
  repositories.set(name, HubRepository.created(name, isPrivate, user.name));
  return answerJson(200, { url, name, id: name, private: isPrivate });
}

const branchSchema = z.object({
  startingPoint: z.string().optional(),
});

/** Handles `POST /api/datasets/NAME/branch/BRANCH`. */
export function answerBranch(call: Call, repository: HubRepository, rest: string): Answer {
  const name = decodeURIComponent(rest);
  const { startingPoint = 'main' } = branchSchema.parse(jsonOf(call));
  if (name.startsWith('refs/') || /[\s~^:?*[\\]|\.\.|^[-/.]|[/.]$|\.lock$|\/\//.test(name)) {
    return answerRefusal(400, `Invalid branch name: ${name}`);
  }
  if (repository.refs.has(name)) return answerRefusal(409, 'Reference already exists');
  const start = repository.at(startingPoint);
  if (start === undefined) return answerNoRevision(startingPoint);
  repository.refs.set(name, start.id);
  return answerJson(200, {});
}

const preuploadSchema = z.object({
  gitAttributes: z.string().optional(),
  files: z.array(z.object({ path: z.string(), size: z.number(), sample: z.string() })),
});

/** Handles `POST /api/datasets/NAME/preupload/REV`: the way of upload for each file, and the present content of its path. */
export function answerPreupload(call: Call, { commit: head }: Place): Answer {
  const { files, gitAttributes } = preuploadSchema.parse(jsonOf(call));
  const attributes = gitAttributes ?? readAttributes(head.files);
  return answerJson(200, {
    commitOid: head.id,
    files: files.map(({ path, size, sample }) => {
      const binary = Buffer.from(sample, 'base64').includes(0);
      const there = head.files.get(path);
      return {
        path,
        uploadMode: isLfsPath(attributes, path) || size > REGULAR_LIMIT || binary ? 'lfs' : 'regular',
        shouldIgnore: false,
        ...(there && { oid: there.lfs?.oid ?? there.oid }),
      };
    }),
  });
}

const lineSchema = z.discriminatedUnion('key', [
  z.object({
    key: z.literal('header'),
    value: z.object({
      summary: z.string(),
      description: z.string().optional(),
      parentCommit: z.string().optional(),
    }),
  }),
  z.object({
    key: z.literal('file'),
    value: z.object({
      path: z.string(),
      content: z.string(),
      encoding: z.enum(['utf-8', 'base64']).optional(),
    }),
  }),
  z.object({
    key: z.literal('lfsFile'),
    value: z.object({
      path: z.string(),
      algo: z.literal('sha256'),
      oid: z.string(),
      size: z.number().optional(),
    }),
  }),
  z.object({ key: z.literal('deletedFile'), value: z.object({ path: z.string() }) }),
]);
type Line = z.infer<typeof lineSchema>;

/** Handles `POST /api/datasets/NAME/commit/REV`: all of its changes, or none. */
export function answerCommit(
  call: Call,
  user: HubUser,
  repository: HubRepository,
  { commit: head, revision }: Place,
): Answer {
  const lines = call.body
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  const parsed = z.array(lineSchema).safeParse(lines.map((line): unknown => JSON.parse(line)));
  if (!parsed.success) return answerRefusal(400, `Invalid commit: ${z.prettifyError(parsed.error)}`);
  const [header, ...operations] = parsed.data;
  if (header?.key !== 'header') return answerRefusal(400, 'The first line of a commit is its header.');
  const { summary, description = '', parentCommit } = header.value;

  const pullRequest = call.url.searchParams.get('create_pr') === '1';
  if (!pullRequest && !isRef(repository, revision))
    return answerRefusal(400, 'A commit is made on a branch.');
  if (!pullRequest && parentCommit !== undefined && parentCommit !== head.id) {
    return answerRefusal(412, 'A commit has happened since. Please refresh and try again.');
  }
  const base = repository.at(parentCommit ?? head.id);
  if (base === undefined) return answerNoRevision(parentCommit ?? '');
  const files = appliedTo(base, operations, repository);
  if (!(files instanceof Map)) return files;

  const number = [...repository.refs.keys()].filter((ref) => ref.startsWith('refs/pr/')).length + 1;
  const made = repository.commit(pullRequest ? `refs/pr/${number}` : revision, base.id, withLfsRules(files), {
    title: summary,
    message: description,
    author: user.name,
  });
  const url = `${call.hub}/datasets/${repository.name}`;
  return answerJson(200, {
    success: true,
    commitOid: made.id,
    commitUrl: `${url}/commit/${made.id}`,
    hookOutput: '',
    ...(pullRequest && { pullRequestUrl: `${url}/discussions/${number}` }),
  });
}

function isRef(repository: HubRepository, revision: string): boolean {
  return repository.refs.has(revision.replace(/^refs\/heads\//, ''));
}

function appliedTo(
  base: HubCommit,
  operations: readonly Line[],
  repository: HubRepository,
): Map<string, HubFile> | Answer {
  const files = new Map(base.files);
  const missing: string[] = [];
  for (const { key, value } of operations) {
    if (key === 'header') return answerRefusal(400, 'A commit has one header.');
    if (/^\/|^\.\.?\/|\/\.\.?\/|^\.git\/|\/$/.test(value.path)) {
      return answerRefusal(400, `Invalid path: ${value.path}`);
    }
    if (key === 'file') {
      const content = Buffer.from(value.content, value.encoding ?? 'utf-8');
      if (content.length > REGULAR_LIMIT) return answerRefusal(400, TOO_LARGE + value.path);
      const [wrong] = value.path === 'README.md' ? listMetadataErrors(content.toString('utf8')) : [];
      if (wrong !== undefined) return answerRefusal(400, `Invalid metadata in README.md.\n- ${wrong}`);
      files.set(value.path, buildRegularFile(content));
    } else if (key === 'lfsFile') {
      const object = repository.objects.get(value.oid);
      if (object === undefined || (value.size !== undefined && value.size !== object.length)) {
        missing.push(value.path);
      } else {
        files.set(value.path, buildLfsFile(value.oid, object));
      }
    } else if (!files.delete(value.path)) {
      return answerRefusal(404, `A file with this name doesn't exist: ${value.path}`, 'EntryNotFound');
    }
  }
  return missing.length === 0
    ? files
    : answerRefusal(400, NOT_UPLOADED + missing.map((path) => `\n  - ${path}`).join(''));
}

const TOO_LARGE =
  'Your push was rejected because it contains files larger than 10 MiB. Offending files:\n  - ';
const NOT_UPLOADED =
  'Your push was rejected because an LFS pointer pointed to a file that does not exist. Offending file:';

function jsonOf(call: Call): unknown {
  return JSON.parse(call.body.toString('utf8'));
}
