import {
  commit,
  createRepo,
  downloadFile,
  listCommits,
  listFiles,
  whoAmI,
  type CommitParams,
} from '@huggingface/hub';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { getPart, needing } from '../../parts/needing';
import { DATASET_GIT_ATTRIBUTES } from '../../stand-in/hub-git-attributes';
import type { Stage } from '../../stand-in/hub-faults';
import { HubStandIn } from '../../stand-in/hub-server';

const TOKEN = 'hf_ofTheseTests';
const READER = 'hf_ofAReader';
const STRANGER = 'hf_ofAStranger';
const CARD = '---\nlicense: mit\n---\n# A data set\n';
const TRANSFERS = ['basic', 'xet'] as const;

/** Two files of one content, so that a client may send it once; one with repetitions; one that is packed in groups of four bytes. */
const FILES: Readonly<Record<string, Buffer>> = {
  'README.md': Buffer.from(CARD),
  'data/one.parquet': noise(2_500_000),
  'data/one-again.parquet': noise(2_500_000),
  'data/repeating.parquet': Buffer.concat([noise(400_000), noise(400_000), Buffer.alloc(300_000, 'text ')]),
  'data/numbers.parquet': Buffer.from(Float32Array.from({ length: 100_000 }, (_, index) => index / 7).buffer),
  'small.txt': Buffer.from('Small.\n'),
};

let folder: string;
let hub: HubStandIn;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cupid-hub-'));
  hub = await HubStandIn.start();
  hub.users.set(TOKEN, { name: 'kim', orgs: ['lab'], role: 'write' });
  hub.users.set(READER, { name: 'kim', role: 'read' });
  hub.users.set(STRANGER, { name: 'sam', role: 'write' });
});
afterEach(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true });
});

needing('readers').describe('the official Python client', () => {
  test.each(TRANSFERS)(
    'makes a data set, commits all its files at once and reads them back (%s)',
    async (transfer) => {
      hub.transfer = transfer;
      const seen = publishedSchema.parse(
        await python(
          ['publish', 'kim/cupid', written(FILES)],
          transfer === 'xet' ? {} : { HF_HUB_DISABLE_XET: '1' },
        ),
      );
      const hashes = hashesOf({ ...FILES, '.gitattributes': Buffer.from(DATASET_GIT_ATTRIBUTES) });
      expect(seen).toMatchObject({
        account: { name: 'kim', role: 'write' },
        url: `${hub.url}/datasets/kim/cupid`,
        again: seen.commit,
        private: true,
        commits: ['All of it', 'initial commit'],
        downloaded: hashes,
        conflict: { status: 412, message: 'A commit has happened since. Please refresh and try again.' },
        branch: { ...hashes, 'note.txt': sha256(Buffer.from('A note.\n')) },
      });
      expect(seen.tree).toEqual({
        '.gitattributes': { size: DATASET_GIT_ATTRIBUTES.length, lfs: null, title: 'initial commit' },
        'README.md': { size: CARD.length, lfs: null, title: 'All of it' },
        data: 'folder',
        'data/numbers.parquet': { size: 400_000, lfs: hashes['data/numbers.parquet'], title: 'All of it' },
        'data/one.parquet': { size: 2_500_000, lfs: hashes['data/one.parquet'], title: 'All of it' },
        'data/one-again.parquet': { size: 2_500_000, lfs: hashes['data/one.parquet'], title: 'All of it' },
        'data/repeating.parquet': {
          size: 1_100_000,
          lfs: hashes['data/repeating.parquet'],
          title: 'All of it',
        },
        'small.txt': { size: 7, lfs: null, title: 'All of it' },
      });
      expect(seen.paths).toEqual({
        data: 'folder',
        'README.md': { size: CARD.length, lfs: null, title: null },
      });
      expect(seen.pull).toEqual({
        url: `${hub.url}/datasets/kim/cupid/discussions/1`,
        revision: 'refs/pr/1',
        refs: { 'refs/heads/main': seen.commit, 'refs/pr/1': hub.refs('kim/cupid').get('refs/pr/1') },
        downloaded: hashesOf({
          '.gitattributes': Buffer.from(DATASET_GIT_ATTRIBUTES),
          'README.md': Buffer.from(CARD),
          'small.txt': Buffer.from('Small.\n'),
          'note.txt': Buffer.from('A note.\n'),
        }),
      });
      expect(stages()).toEqual(expect.arrayContaining(PASSED_BY_PYTHON[transfer]));
      if (transfer !== 'xet') return;

      // For another data set, what is here already is not sent again.
      hub.received.length = 0;
      await python(['upload', 'lab/cupid', join(folder, 'files')]);
      expect(stages()).toContain('chunks');
      expect(bytesSentAt('xorb')).toBeLessThan(100_000);
      expect(hashesOf(Object.fromEntries(hub.files('lab/cupid')))).toMatchObject(hashesOf(FILES));
    },
  );
});

const PASSED_BY_PYTHON = {
  basic: ['lfs-batch', 'upload', 'verify', 'store'],
  xet: ['xet-token', 'xorb', 'shard', 'reconstruction', 'store'],
} as const;

const treeSchema = z.record(z.string(), z.unknown());
const publishedSchema = z.object({
  account: z.unknown(),
  url: z.string(),
  commit: z.string(),
  again: z.string(),
  private: z.boolean(),
  commits: z.array(z.string()),
  tree: treeSchema,
  paths: treeSchema,
  downloaded: treeSchema,
  conflict: z.unknown(),
  pull: z.unknown(),
  branch: treeSchema,
});

describe('the official JavaScript client', () => {
  test.each(TRANSFERS)(
    'makes a data set, commits all its files at once and reads them back (%s)',
    async (transfer) => {
      hub.transfer = transfer;
      expect(await whoAmI({ accessToken: TOKEN, hubUrl: hub.url })).toMatchObject({
        name: 'kim',
        orgs: [{ name: 'lab' }],
        auth: { accessToken: { role: 'write' } },
      });
      await made('lab/cupid');
      const [initial] = hub.commits('lab/cupid');
      const result = await committed('lab/cupid', FILES, { parentCommit: initial?.id ?? '' });
      expect(result?.commit.oid).toBe(hub.refs('lab/cupid').get('main'));
      expect(hub.commits('lab/cupid').map(({ title, parent }) => ({ title, parent }))).toEqual([
        { title: 'All of it', parent: initial?.id },
        { title: 'initial commit', parent: undefined },
      ]);
      const hashes = hashesOf({ ...FILES, '.gitattributes': Buffer.from(DATASET_GIT_ATTRIBUTES) });
      expect(hashesOf(Object.fromEntries(hub.files('lab/cupid')))).toEqual(hashes);

      const repo = { type: 'dataset', name: 'lab/cupid' } as const;
      const access = { accessToken: TOKEN, hubUrl: hub.url, repo };
      const read: Record<string, Buffer> = {};
      for await (const { type, path } of listFiles({ ...access, recursive: true })) {
        if (type === 'file') read[path] = await bytesOf(await downloadFile({ ...access, path }));
      }
      expect(hashesOf(read)).toEqual(hashes);
      const plain = await downloadFile({ ...access, path: 'data/one.parquet', xet: false });
      expect(sha256(await bytesOf(plain))).toBe(hashes['data/one.parquet']);
      const middle = (await downloadFile({ ...access, path: 'data/repeating.parquet' }))?.slice(
        399_000,
        802_000,
      );
      expect(
        FILES['data/repeating.parquet']?.subarray(399_000, 802_000).equals(await bytesOf(middle ?? null)),
      ).toBe(true);
      const commits: string[] = [];
      for await (const { title } of listCommits({ ...access, batchSize: 1 })) commits.push(title);
      expect(commits).toEqual(['All of it', 'initial commit']);

      const stale = committed(
        'lab/cupid',
        { 'note.txt': Buffer.from('A note.') },
        { parentCommit: initial?.id ?? '' },
      );
      await expect(stale).rejects.toMatchObject({
        statusCode: 412,
        message: expect.stringContaining('A commit has happened since. Please refresh and try again.'),
      });
      const pull = await committed(
        'lab/cupid',
        { 'note.txt': Buffer.from('A note.') },
        { isPullRequest: true },
      );
      expect(pull?.pullRequestUrl).toBe(`${hub.url}/datasets/lab/cupid/discussions/1`);
      expect(hub.files('lab/cupid', 'refs/pr/1').get('note.txt')?.toString()).toBe('A note.');
      expect(hub.files('lab/cupid').has('note.txt')).toBe(false);
    },
  );

  test('by Xet, what of a file is here already is not sent again', async () => {
    hub.transfer = 'xet';
    await made('kim/cupid');
    const content = noise(1_500_000);
    await committed('kim/cupid', { 'one.parquet': content });
    const first = bytesSentAt('xorb');
    const longer = Buffer.concat([content, noise(200_000, 7)]);
    await committed('kim/cupid', { 'one.parquet': longer });
    expect(first).toBeGreaterThan(1_500_000);
    expect(bytesSentAt('xorb') - first).toBeLessThan(400_000);
    expect(hub.files('kim/cupid').get('one.parquet')?.equals(longer)).toBe(true);
  });
});

test('a token that is none, one that may only read, and an owner that is another are rejected', async () => {
  await expect(whoAmI({ accessToken: 'hf_none', hubUrl: hub.url })).rejects.toMatchObject({
    statusCode: 401,
  });
  await expect(made('kim/cupid', READER)).rejects.toMatchObject({
    statusCode: 403,
    message: expect.stringContaining(
      'You don\'t have the rights to create a dataset under the namespace "kim"',
    ),
  });
  await expect(made('kim/cupid', STRANGER)).rejects.toMatchObject({ statusCode: 403 });
  await made('kim/cupid');
  await expect(made('kim/cupid')).rejects.toMatchObject({
    statusCode: 409,
    data: { url: `${hub.url}/datasets/kim/cupid` },
  });
  const files = { 'a.txt': Buffer.from('a') };
  for (const accessToken of [READER, STRANGER]) {
    await expect(committed('kim/cupid', files, { accessToken })).rejects.toMatchObject({ statusCode: 403 });
  }
  await committed('kim/cupid', files, { accessToken: STRANGER, isPullRequest: true });
  expect(hub.commits('kim/cupid', 'refs/pr/1')[0]).toMatchObject({ title: 'All of it', author: 'sam' });
  hub.makeRepository('lab/secret', { private: true });
  await expect(committed('lab/secret', files, { accessToken: STRANGER })).rejects.toMatchObject({
    statusCode: 404,
  });
  await committed('lab/secret', files);
  expect(hub.files('lab/secret').get('a.txt')?.toString()).toBe('a');
});

test('a large file that no rule names gets one in the same commit', async () => {
  await made('kim/cupid');
  await committed('kim/cupid', { 'no extension': Buffer.concat([Buffer.alloc(1), noise(2000)]) });
  const attributes = hub.files('kim/cupid').get('.gitattributes')?.toString() ?? '';
  expect(attributes).toBe(
    `${DATASET_GIT_ATTRIBUTES}no[[:space:]]extension filter=lfs diff=lfs merge=lfs -text\n`,
  );
});

function bytesSentAt(wanted: Stage): number {
  return hub.received.filter(({ stage }) => stage === wanted).reduce((sum, { bytes }) => sum + bytes, 0);
}

function stages(): string[] {
  return [...new Set(hub.received.flatMap(({ stage }) => stage ?? []))];
}

async function made(name: string, accessToken = TOKEN): Promise<void> {
  await createRepo({ repo: { type: 'dataset', name }, accessToken, hubUrl: hub.url, visibility: 'public' });
}

function committed(
  name: string,
  files: Readonly<Record<string, Buffer>>,
  options: Pick<CommitParams, 'parentCommit' | 'isPullRequest'> & { accessToken?: string } = {},
) {
  return commit({
    repo: { type: 'dataset', name },
    accessToken: TOKEN,
    hubUrl: hub.url,
    title: 'All of it',
    operations: Object.entries(files).map(([path, content]) => ({
      operation: 'addOrUpdate',
      path,
      content: new Blob([new Uint8Array(content)]),
    })),
    ...options,
  });
}

async function bytesOf(blob: Blob | null): Promise<Buffer> {
  if (blob === null) throw new Error('There is no such file.');
  return Buffer.from(await blob.arrayBuffer());
}

/** Builds bytes that do not compress, the same each time. */
function noise(length: number, seed = 1): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 64) }, (_, index) =>
    createHash('sha512').update(`${seed} ${index}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function hashesOf(files: Readonly<Record<string, Buffer>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [path, sha256(content)]));
}

function written(files: Readonly<Record<string, Buffer>>): string {
  const into = join(folder, 'files');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    writeFileSync(join(into, path), content);
  }
  return into;
}

async function python(arguments_: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    getPart('readers'),
    [join(__dirname, '../../stand-in/hub_client.py'), ...arguments_],
    {
      maxBuffer: 64 * 1024 ** 2,
      env: {
        ...process.env,
        PYTHONDONTWRITEBYTECODE: '1',
        HF_ENDPOINT: hub.url,
        HF_TOKEN: TOKEN,
        ...environment,
      },
    },
  );
  return JSON.parse(stdout);
}
