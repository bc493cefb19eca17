import { stat, truncate, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type GetObjectCommandOutput,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { AppendedObject, SEGMENT } from './appended-object';
import { formatS3Location, type S3Location } from './s3-location';
import { openFile } from './own-file';
import { replaceAtomically, syncPath, type Store } from './store';
import {
  createStoreError,
  getStatus,
  hasInvalidCredentials,
  isMissingObject,
  isSimultaneous,
} from './store-error';
import { classifyDiskError } from './system-error';

// The client's warning about old versions of Node.js is for developers, and would mix with the user's output.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/**
 * Creates a store in a bucket, with the endpoint, region and credentials from AWS's own variables and files. A write is durable, and
 * visible to every reader, once its request was answered. Both sides check a checksum of every request and answer.
 * @param repeatAfterMs wait before a damaged object is read again, or a conflicting one created again; longer before each further try
 */
export function createS3Store(location: S3Location, repeatAfterMs = REPEAT_AFTER_MS): Store {
  const { bucket: Bucket } = location;
  const root = location.prefix === '' ? '' : `${location.prefix}/`;
  const keyOf = (name: string) => root + name;
  const locate = (name: string) => `${formatS3Location(location)}/${name}`;
  const appended = new Map<string, AppendedObject>();
  let client: S3Client | undefined;

  /**
   * Sends a request; the client repeats retryable failures. Credentials that are rejected are read again, because someone may have renewed
   * them. @throws StoreError
   */
  const send = async <T>(name: string, request: (s3: S3Client) => Promise<T>): Promise<T> => {
    for (let isRepeated = false; ; isRepeated = true) {
      const s3 = (client ??= createClient());
      try {
        return await request(s3);
      } catch (error) {
        const failure = createStoreError(locate(name), location.bucket, error);
        if (!hasInvalidCredentials(failure)) throw failure;
        if (client === s3) client = createClient(s3);
        if (isRepeated) throw failure;
      }
    }
  };
  const open = async (name: string) => {
    try {
      const { Body } = await send(name, (s3) => s3.send(new GetObjectCommand({ Bucket, Key: keyOf(name) })));
      return takeContent(Body);
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw error;
    }
  };
  /**
   * Passes an object's whole content to `take` and returns its result; undefined if there is no object. Reads damaged or partial content
   * again.
   */
  const readWhole = async <T>(
    name: string,
    take: (body: ObjectBody) => Promise<T>,
  ): Promise<T | undefined> => {
    for (let reads = 1; ; reads += 1) {
      const body = await open(name);
      if (body === undefined) return undefined;
      try {
        return await take(body);
      } catch (error) {
        // The local disk may be full.
        if (classifyDiskError(error) !== undefined) throw error;
        if (reads === MOST_TRIES) throw createStoreError(locate(name), location.bucket, error);
        await wait(reads * repeatAfterMs);
      }
    }
  };
  const readText = (name: string) => readWhole(name, (body) => body.transformToString('utf8'));
  const write = async (name: string, text: string) => {
    await send(name, (s3) => s3.send(new PutObjectCommand({ Bucket, Key: keyOf(name), Body: text })));
  };
  const listPages = async function* (Prefix: string, Delimiter?: string) {
    for (let token: string | undefined; ;) {
      const page: ListObjectsV2CommandOutput = await send('', (s3) =>
        s3.send(
          new ListObjectsV2Command({
            Bucket,
            Prefix,
            ...(Delimiter === undefined ? {} : { Delimiter }),
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
        ),
      );
      yield page;
      token = page.NextContinuationToken;
      if (token === undefined) return;
    }
  };
  const listSegments = async (name: string) => {
    const segments: string[] = [];
    for await (const { Contents = [] } of listPages(`${keyOf(name)}.`)) {
      for (const { Key = '' } of Contents) if (SEGMENT.test(Key)) segments.push(Key.slice(root.length));
    }
    return segments.toSorted();
  };

  return {
    read: readText,
    async *blocks(name, order) {
      if (order === 'early') {
        const body = await open(name);
        if (body === undefined) return;
        try {
          yield* body.setEncoding('utf8');
        } catch (error) {
          throw createStoreError(locate(name), location.bucket, error);
        }
        return;
      }
      const text = await readText(name);
      if (text !== undefined) yield text;
      else for (const segment of await listSegments(name)) yield (await readText(segment)) ?? '';
    },
    write,
    async create(name, text) {
      for (let tries = 1; ; tries += 1) {
        try {
          await send(name, (s3) =>
            s3.send(new PutObjectCommand({ Bucket, Key: keyOf(name), Body: text, IfNoneMatch: '*' })),
          );
          return true;
        } catch (error) {
          if (getStatus(error) === 412) return false;
          if (!isSimultaneous(error) || tries === MOST_TRIES) throw error;
          await wait(tries * repeatAfterMs);
        }
      }
    },
    append(name, text) {
      const object = appended.get(name) ?? new AppendedObject(name, write);
      appended.set(name, object);
      return object.append(text);
    },
    async put(name, localFile, within) {
      const file = await openFile(localFile, within);
      try {
        await send(name, (s3) => {
          const content = file.createReadStream({ start: 0, autoClose: false });
          // In parts, so that each can be sent again.
          return new Upload({ client: s3, params: { Bucket, Key: keyOf(name), Body: content } }).done();
        });
      } finally {
        await file.close();
      }
    },
    async fetch(name, localFile, within) {
      const segments = await listSegments(name);
      const parts = segments.length === 0 ? [name] : segments;
      await replaceAtomically(
        localFile,
        async (temporary) => {
          await writeFile(temporary, '');
          for (const part of parts) {
            const { size } = await stat(temporary);
            const isThere = await readWhole(part, async (body) => {
              await truncate(temporary, size);
              await writeFile(temporary, body, { flag: 'a' });
              return true;
            });
            if (isThere === undefined) throw new Error(`${locate(part)} is missing.`);
          }
          await syncPath(temporary);
        },
        within,
      );
    },
    async move(from, to) {
      try {
        await send(from, (s3) =>
          s3.send(
            new CopyObjectCommand({
              Bucket,
              Key: keyOf(to),
              CopySource: [Bucket, ...keyOf(from).split('/')].map(encodeURIComponent).join('/'),
            }),
          ),
        );
      } catch (error) {
        if (isMissingObject(error)) return;
        throw error;
      }
      await this.remove([from]);
    },
    async remove(names) {
      for (let at = 0; at < names.length; at += MOST_REMOVED) {
        const Objects = names.slice(at, at + MOST_REMOVED).map((name) => ({ Key: keyOf(name) }));
        const { Errors: [failed] = [] } = await send(names[at] ?? '', (s3) =>
          s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })),
        );
        if (failed !== undefined) {
          const reason = new Error(failed.Message ?? failed.Code ?? 'it was not deleted');
          throw createStoreError(`s3://${Bucket}/${failed.Key}`, location.bucket, reason);
        }
      }
    },
    async list(folder) {
      const names = new Set<string>();
      const prefix = folder === '' ? root : `${keyOf(folder)}/`;
      for await (const { Contents = [], CommonPrefixes = [] } of listPages(prefix, '/')) {
        for (const { Key = '' } of Contents) names.add(Key.slice(root.length).replace(SEGMENT, ''));
        for (const { Prefix = '' } of CommonPrefixes) names.add(Prefix.slice(root.length, -1));
      }
      return [...names].toSorted();
    },
    async *all(folder) {
      let last = '';
      for await (const { Contents = [] } of listPages(folder === '' ? root : `${keyOf(folder)}/`)) {
        for (const { Key = '' } of Contents) {
          const name = Key.slice(root.length).replace(SEGMENT, '');
          // The segments of a text follow each other, and have one name.
          if (name !== last) yield name;
          last = name;
        }
      }
    },
  };
}

/** Returns an object's content. A failure before anybody reads it must not end the process; the reader gets the error. */
function takeContent(body: GetObjectCommandOutput['Body']): ObjectBody | undefined {
  if (body === undefined) return undefined;
  if (!(body instanceof Readable))
    throw new TypeError('The content of an object is not a stream of Node.js.');
  return body.on('error', () => undefined);
}

type ObjectBody = NonNullable<GetObjectCommandOutput['Body']> & Readable;

/** @param previous a client whose credentials were rejected; its connections are used again */
function createClient(previous?: S3Client): S3Client {
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const client = new S3Client({
    maxAttempts: 5,
    // By default, a server that accepts a connection and does not answer would be waited for forever.
    requestHandler: previous?.config.requestHandler ?? { connectionTimeout: 5_000, socketTimeout: 20_000 },
    // Other servers than Amazon's seldom have regions.
    ...((AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) === undefined
      ? {}
      : { region: AWS_REGION ?? AWS_DEFAULT_REGION ?? 'us-east-1' }),
    ...READ_FILES_AGAIN,
  });
  const findEndpoint = client.config.endpointProvider;
  // Other servers than Amazon's seldom have a host name for each bucket. Only here is an endpoint of a profile known.
  client.config.endpointProvider = (parameters, context) =>
    findEndpoint(
      parameters.Endpoint === undefined ? parameters : { ...parameters, ForcePathStyle: true },
      context,
    );
  return client;
}

/** An option that the client passes to its providers of credentials, which otherwise read each file only once in a process. */
const READ_FILES_AGAIN = { ignoreCache: true };

const MOST_REMOVED = 1_000;
/** Number of reads of an object that arrives damaged or incomplete, and of attempts to create one that others write. */
const MOST_TRIES = 5;
const REPEAT_AFTER_MS = 200;
