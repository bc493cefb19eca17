import * as z from 'zod';
import { FOLDER_FORMAT } from '../../schemas/run/folder-format';
import { parseJson } from '../../schemas/text/issues';

/** Documents of a store that a run or an evaluation begins with. They are written after the other inputs. */
export const PLANS = { synthesis: 'inputs/run.json', evaluation: 'inputs/evaluation.json' } as const;

/**
 * Checks the form of what a stored document begins. Leaves a damaged one to its reader, who says what is wrong with it.
 * @param place what the user named, such as the run folder
 * @param document undefined if there is none
 * @throws Error that names the version of cupid to use
 */
export function requireFolderFormat(place: string, document: string | undefined): void {
  if (document === undefined) return;
  const { value } = parseJson(beginningSchema, place, document);
  if (value !== undefined) requireFormat(place, value.format);
}

const beginningSchema = z.object({ format: z.unknown().optional() });

/** @throws Error that names the version of cupid to use */
export function requireFormat(place: string, format: unknown): void {
  if (format === FOLDER_FORMAT) return;
  const isNewer = typeof format === 'number' && format > FOLDER_FORMAT;
  const { commit, date } = LAST_COMMITS.get(format) ?? EARLIEST;
  throw new Error(
    isNewer
      ? `${place} was made by a newer version of cupid. Update cupid, then repeat the command.`
      : `${place} was made by an unreleased version of cupid (of ${date} or before). To finish or read it, use commit ${commit}: git checkout ${commit} && npm ci, then repeat its command.`,
  );
}

/** Last commits that read and continue folders of a format; each refuses all others. */
const LAST_COMMITS: ReadonlyMap<unknown, { readonly commit: string; readonly date: string }> = new Map([
  [3, { commit: '66425af8', date: '2026-11-29' }],
  [4, { commit: '071463c3', date: '2026-11-29' }],
  [5, { commit: 'cca7cacc', date: '2026-12-01' }],
]);

/** The last commit whose folders have no format. */
const EARLIEST = { commit: '57ae28bb', date: '2026-11-29' } as const;
