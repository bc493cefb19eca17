import { commit, createRepo, downloadFile, listFiles, whoAmI, type CommitParams } from '@huggingface/hub';
import { createHash } from 'node:crypto';
import { DATASET_GIT_ATTRIBUTES } from '../../stand-in/hub-git-attributes';
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

let hub: HubStandIn;

beforeEach(async () => {
  hub = await HubStandIn.start();
  hub.users.set(TOKEN, { name: 'kim', orgs: ['lab'], role: 'write' });
  hub.users.set(READER, { name: 'kim', role: 'read' });
  hub.users.set(STRANGER, { name: 'sam', role: 'write' });
});
afterEach(() => hub.stop());

test.each(TRANSFERS)(
  'the official client makes a data set, commits all its files at once and reads them back (%s)',
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
    expect(hub.commits('lab/cupid').map(({ id, title, parent }) => ({ id, title, parent }))).toEqual([
      { id: result?.commit.oid, title: 'All of it', parent: initial?.id },
      { id: initial?.id, title: 'initial commit', parent: undefined },
    ]);
    expect(hub.received.map(({ stage }) => stage)).toContain(transfer === 'xet' ? 'shard' : 'upload');

    const access = {
      accessToken: TOKEN,
      hubUrl: hub.url,
      repo: { type: 'dataset', name: 'lab/cupid' },
    } as const;
    const read: Record<string, Buffer> = {};
    for await (const { type, path } of listFiles({ ...access, recursive: true })) {
      const blob = type === 'file' ? await downloadFile({ ...access, path }) : null;
      if (blob !== null) read[path] = Buffer.from(await blob.arrayBuffer());
    }
    expect(hashesOf(read)).toEqual(
      hashesOf({ ...FILES, '.gitattributes': Buffer.from(DATASET_GIT_ATTRIBUTES) }),
    );

    const note = { 'note.txt': Buffer.from('A note.') };
    await expect(committed('lab/cupid', note, { parentCommit: initial?.id ?? '' })).rejects.toMatchObject({
      statusCode: 412,
      message: expect.stringContaining('A commit has happened since. Please refresh and try again.'),
    });
    const pull = await committed('lab/cupid', note, { isPullRequest: true });
    expect(pull?.pullRequestUrl).toBe(`${hub.url}/datasets/lab/cupid/discussions/1`);
    expect(hub.files('lab/cupid', 'refs/pr/1').get('note.txt')?.toString()).toBe('A note.');
    expect(hub.files('lab/cupid').has('note.txt')).toBe(false);
  },
);

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
