import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { historyToJSON, type History } from '@temporalio/common/lib/proto-utils';
import { z } from 'zod';
import { bundleSchema, recordedHistorySchema, type Bundle, type RecordedHistory } from '../schemas/bundle';
import type { JournalEntry } from '../schemas/journal';
import { failedWorkSchema } from '../schemas/outcome';
import { errorCode } from './error-code';
import { describeIssues } from './issues';
import { JournalError, type Journal } from './journal';
import type { Store } from './store';

/** A bundle that cannot be read; the message names the file and what is wrong with it. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

/**
 * The name of a failed persona's or dialogue's bundle, in the run's store as in its folder: beside the persona's own note, and
 * told apart from it by the p.
 */
export function bundleName({
  persona,
  session,
}: {
  readonly persona: number;
  readonly session?: number | undefined;
}): string {
  return `failures/p${persona}${session === undefined ? '' : `-s${session}`}.bundle.json`;
}

export async function keepBundle(store: Store, name: string, bundle: Bundle): Promise<void> {
  await store.write(name, `${JSON.stringify(bundle)}\n`);
}

/** The bundle under a name of a run's store; undefined when there is none. @throws BundleError when it is damaged */
export async function keptBundle(store: Store, name: string): Promise<Bundle | undefined> {
  const text = await store.read(name);
  return text === undefined ? undefined : parse(`${name} of the run's store`, text);
}

/** The bundle in a file of any folder; undefined when there is no such file. @throws BundleError when it is no bundle */
export async function readBundle(file: string): Promise<Bundle | undefined> {
  try {
    return parse(file, await readFile(file, 'utf8'));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === undefined) throw error;
    throw new BundleError(
      `${file} cannot be read (${code}). Name the bundle of a failure, such as failures/p17-s3.bundle.json.`,
      {
        cause: error,
      },
    );
  }
}

/** A history in the form in which bundles hold it. */
export function recordedHistory(history: History): RecordedHistory {
  return recordedHistorySchema.parse(JSON.parse(historyToJSON(history)));
}

/**
 * The journal's entries of these workflows, and those there are under these keys.
 * @param lacks told of what cannot be read, and left out
 */
export async function recordedEntries(
  journal: Journal,
  { workflows, keys }: { readonly workflows: readonly string[]; readonly keys: readonly string[] },
  lacks: (what: string) => void,
): Promise<JournalEntry[]> {
  const readable = async (read: () => Promise<JournalEntry[]>): Promise<JournalEntry[]> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      lacks(error.message);
      return [];
    }
  };
  const entries: JournalEntry[] = [];
  for (const key of keys) {
    entries.push(
      ...(await readable(async () => {
        const entry = await journal.find(key);
        return entry === undefined ? [] : [entry];
      })),
    );
  }
  for (const workflow of workflows) entries.push(...(await readable(() => journal.ofWorkflow(workflow))));
  return entries;
}

function parse(name: string, text: string): Bundle {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new BundleError(`${name} is no JSON (${String(error)}). Copy it again from the run's folder.`, {
      cause: error,
    });
  }
  const parsed = bundleSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const note = z.array(failedWorkSchema).min(1).safeParse(content);
  if (note.success) {
    throw new BundleError(
      `${name} is the note of what failed, and no bundle. Its bundles are beside it: ${note.data.map((work) => basename(bundleName(work))).join(', ')}.`,
    );
  }
  throw new BundleError(
    `${name} is not a failure bundle, or one of another version of this program:\n${describeIssues(name, parsed.error, content)}\nName a file such as failures/p17-s3.bundle.json.`,
  );
}
