import { basename } from 'node:path';
import * as z from 'zod';
import { InputError } from '../../schemas/input-error';
import { bundleSchema, type Bundle } from '../../schemas/run/bundle';
import type { JournalEntry } from '../../schemas/run/journal';
import { failedWorkSchema } from '../../schemas/run/outcome';
import { requireFormat } from '../store/folder-format';
import { IrregularFile, readText } from '../store/own-file';
import { getErrorCode, isMissing } from '../store/system-error';
import { describeIssues, parseJson } from '../../schemas/text/issues';
import { checkEntry, JournalError, openJournal, renderEntry, type DamagedEntry } from './journal';
import { listUnanswered, readUnanswered } from './unanswered-calls';
import type { Store } from '../store/store';

/** A bundle that cannot be read; the message names the file and what is wrong with it. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

/**
 * Builds the name of a failed persona's or dialogue's bundle, both in the run's store and in its folder. It stands beside the persona's own
 * note; the `p` distinguishes them.
 */
export function buildBundleName({
  persona,
  session,
}: {
  readonly persona: number;
  readonly session?: number | undefined;
}): string {
  return `failures/p${persona}${session === undefined ? '' : `-s${session}`}.bundle.json`;
}

export async function writeBundle(store: Store, name: string, bundle: Bundle): Promise<void> {
  await store.write(name, `${JSON.stringify(bundle)}\n`);
}

/** Reads a bundle of a run's store; undefined if there is none. @throws BundleError when it is damaged */
export async function findBundle(store: Store, name: string): Promise<Bundle | undefined> {
  const text = await store.read(name);
  return text === undefined ? undefined : parseBundle(`.cupid/${name}`, text);
}

/** Reads a bundle from any file; undefined if there is no such file. @throws BundleError when it is no bundle */
export async function readBundle(file: string): Promise<Bundle | undefined> {
  try {
    return parseBundle(file, await readText(file, undefined));
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof IrregularFile) {
      throw new InputError(`${error.message} ${NAME_A_BUNDLE}`, { cause: error });
    }
    const code = getErrorCode(error);
    if (code === undefined) throw error;
    throw new BundleError(`${file} cannot be read (${code}). ${NAME_A_BUNDLE}`, { cause: error });
  }
}

/** Says what can be replayed. */
export const NAME_A_BUNDLE =
  "The bundle of a failure is a file such as out/failures/p17-s3.bundle.json. To replay a persona or dialogue of a run, name it and the run's folder: cupid replay 17/s3 --output-dir out";

/**
 * Reads the calls at these places from a run's store, in the form of a bundle.
 * @param onGap called for each call that cannot be read and is left out
 */
export async function readRecordedCalls(
  store: Store,
  { workflowIds, keys }: { readonly workflowIds: readonly string[]; readonly keys: readonly string[] },
  onGap: (problem: string) => void,
): Promise<Pick<Bundle, 'entries' | 'unansweredCalls'>> {
  const journal = openJournal(store);
  const entries: JournalEntry[] = [];
  const unansweredCalls: Bundle['unansweredCalls'] = {};
  for (const key of keys) {
    try {
      const entry = await journal.find(key);
      if (entry !== undefined) entries.push(entry);
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      onGap(error.message);
    }
    const unansweredCall = await readUnanswered(store, key);
    if (unansweredCall !== undefined) unansweredCalls[key] = unansweredCall;
  }
  for (const id of workflowIds) {
    const inspected = await journal.inspect(id);
    entries.push(...inspected.entries);
    for (const { name, problem } of inspected.damaged) {
      onGap(`The journal entry .cupid/${name} is damaged: ${problem}.`);
    }
    Object.assign(unansweredCalls, await listUnanswered(store, id));
  }
  const renderedEntries = entries.map((entry) => JSON.parse(renderEntry(entry)) as unknown);
  return { entries: bundleSchema.shape.entries.parse(renderedEntries), unansweredCalls };
}

/** Reads the journal entries of a bundle with the checks of a journal. Returns the damaged ones too. */
export function readBundledEntries({ entries }: Bundle): {
  readonly entries: readonly JournalEntry[];
  readonly damaged: readonly DamagedEntry[];
} {
  const read = entries.map((entry, at) => {
    const key = 'key' in entry && typeof entry.key === 'string' ? entry.key : '';
    return checkEntry(`entries[${at}]`, key, `${JSON.stringify(entry)}\n`);
  });
  return {
    entries: read.flatMap((result) => ('entry' in result ? [result.entry] : [])),
    damaged: read.flatMap((result) => ('damaged' in result ? [result.damaged] : [])),
  };
}

function parseBundle(name: string, text: string): Bundle {
  const { value: content, problem } = parseJson(z.unknown(), name, text);
  if (problem !== undefined) {
    throw new BundleError(`The bundle ${name} is damaged: it is not JSON. ${COPY_AGAIN}`);
  }
  const parsed = bundleSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const note = z.array(failedWorkSchema).min(1).safeParse(content);
  if (note.success) {
    throw new BundleError(
      `${name} lists failures and is not a bundle. The bundles are beside it: ${note.data.map((work) => basename(buildBundleName(work))).join(', ')}.`,
    );
  }
  const problems = describeIssues(name, parsed.error, content);
  const { data: beginning } = beginningSchema.safeParse(content);
  if (beginning === undefined) {
    throw new BundleError(`${name} is not a failure bundle:\n${problems}\n${NAME_A_BUNDLE}`);
  }
  requireFormat(`The bundle ${name}`, beginning.format);
  throw new BundleError(`The bundle ${name} is damaged:\n${problems}\n${COPY_AGAIN}`);
}

/** Fields that every bundle begins with. */
const beginningSchema = bundleSchema.pick({ work: true }).extend({ format: z.number() });

const COPY_AGAIN = "Copy it again from the run's folder.";
