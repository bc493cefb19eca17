import { spawn } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { getErrorCode } from '../../data/store/system-error';
import { buildChildEnvironment } from './child-environment';

/** Download source of Temporal's own SDKs. */
export const DOWNLOAD_SOURCE = 'https://temporal.download';

/**
 * Downloads a release of the Temporal CLI into a folder, without running it, so that its hash can be checked first.
 * @returns the program's path
 */
export async function downloadTemporal(
  version: string,
  folder: string,
  signal: AbortSignal,
  source: string = DOWNLOAD_SOURCE,
): Promise<string> {
  const { archiveUrl, fileToExtract } = await findArchive(version, signal, source);
  const { body } = await get(archiveUrl, { signal });
  if (body === null) throw new Error(`${archiveUrl} is empty`);
  const tar = spawn('tar', ['-x', '-f', '-', '-C', folder, fileToExtract], {
    env: buildChildEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errors = '';
  tar.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const unpacked = new Promise<void>((resolve, reject) => {
    tar.once('error', reject);
    tar.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`tar failed: ${errors.trim()}`))));
  });
  // If tar fails, the write to it fails too, but its own message says more.
  const [write, extraction] = await Promise.allSettled([
    pipeline(body, createGunzip(), tar.stdin, { signal }),
    unpacked,
  ]);
  if (extraction.status === 'rejected') throw extraction.reason;
  if (write.status === 'rejected' && !ENDED_EARLY.has(getErrorCode(write.reason) ?? '')) throw write.reason;
  const program = join(folder, fileToExtract);
  await chmod(program, 0o755);
  return program;
}

/** tar may end before it has read the padding behind the archive's last file; the extracted files are complete. */
const ENDED_EARLY: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Checks that a release can be downloaded here, without downloading it. @throws Error that says why not */
export async function checkDownload(version: string, source: string = DOWNLOAD_SOURCE): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  const { archiveUrl } = await findArchive(version, signal, source);
  await get(archiveUrl, { method: 'HEAD', signal });
}

const archiveSchema = z.object({
  archiveUrl: z.url(),
  /** A file at the top of the archive, and no path to anywhere else. */
  fileToExtract: z.string().regex(/^\w[\w.-]*$/),
});

async function findArchive(
  version: string,
  signal: AbortSignal,
  source: string,
): Promise<z.infer<typeof archiveSchema>> {
  const query = new URLSearchParams({
    arch: arch() === 'x64' ? 'amd64' : arch(),
    platform: platform(),
    format: 'tar.gz',
  });
  const answer = await get(`${source}/cli/v${version}?${query.toString()}`, { signal });
  const archive = archiveSchema.safeParse(await answer.json()).data;
  if (archive === undefined) throw new Error(`${source} does not name an archive`);
  if (new URL(archive.archiveUrl).protocol !== new URL(source).protocol) {
    throw new Error(`${source} names an archive that is not downloaded over HTTPS`);
  }
  return archive;
}

async function get(url: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    // `fetch failed` does not say why; the cause does.
    const reason = failedFetchSchema.safeParse(error).data?.cause.message ?? String(error);
    throw new Error(`${new URL(url).host} cannot be reached (${reason})`, { cause: error });
  }
  if (!response.ok) throw new Error(`${new URL(url).host} answered with status ${response.status}`);
  if (new URL(response.url).protocol !== new URL(url).protocol) {
    throw new Error(`${new URL(url).host} redirects to a URL that is not HTTPS`);
  }
  return response;
}

const failedFetchSchema = z.object({ cause: z.object({ message: z.string() }) });
