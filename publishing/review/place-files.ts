import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withFiles } from '../../data/card/dataset-info';
import { withCanary } from '../../data/card/edit';
import { placeOutputs, type OutputFile } from '../../data/run/place-outputs';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/store/data-error';
import { useTemporaryDirectory } from '../../data/store/directories';
import type { Rows } from '../../data/tables/batches';
import { AUDIT_COLUMNS, INSTANCE_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import type { Instance } from '../../schemas/dataset/instance';
import { REVIEW_FILES, type AuditRow } from '../../schemas/review/review';
import { pluralize } from '../../schemas/text/count-text';
import { readSourceCard } from '../export/source';

/** The number of instances by what the raters decided. */
export interface ReviewResult {
  readonly accepted: number;
  readonly rejected: number;
  /** Left out because a task that they depend on is open. */
  readonly open: number;
  /** Left out because no task decides whether each of their preferences is expressed. */
  readonly unreviewable: number;
  readonly revised: number;
}

/** The folder that a review's files are written into. */
export interface ReviewPlace {
  readonly path: string;
  /** Directory for files that are being written. */
  readonly scratch: string;
}

/**
 * Writes accepted instances with their card, and the audit table, into a review's folder.
 * @throws DataError when the folder has a file of one of these names that the review did not write
 */
export async function placeReviewFiles(
  { path: folder, scratch }: ReviewPlace,
  dataSet: DataSet,
  {
    rows,
    audit,
    finishCard,
  }: {
    readonly rows: Rows<Instance>;
    readonly audit: Rows<AuditRow>;
    /** Completes the card once all rows were read. */
    readonly finishCard: (card: string) => string;
  },
): Promise<void> {
  await useTemporaryDirectory(
    scratch,
    'review-',
    async (newFolder) => {
      await mkdir(join(newFolder, 'CUPID'));
      const outputs = Object.values(REVIEW_FILES).map((path): OutputFile => ({
        path,
        newFile: join(newFolder, path),
      }));
      const file = await writeParquet(join(newFolder, REVIEW_FILES.rows), INSTANCE_COLUMNS, rows, dataSet);
      await writeParquet(join(newFolder, REVIEW_FILES.audit), AUDIT_COLUMNS, audit);
      const source = (await readSourceCard(dataSet)) ?? MINIMAL_CARD;
      const card = withCanary(finishCard(source), dataSet.canary);
      await writeFile(
        join(newFolder, REVIEW_FILES.card),
        withFiles(card, INSTANCE_COLUMNS, { path: 'test.parquet', ...file }),
      );
      const sets = [outputs.filter(({ path }) => path.startsWith('CUPID/')), outputs.slice(-1)];
      const { foreignFiles, withheldFiles } = await placeOutputs(folder, sets);
      // An edited card belongs to the user, and is an error only if it blocks other files.
      const blockingFiles = foreignFiles.filter((path) => path !== REVIEW_FILES.card);
      const unplaced = [...new Set([...withheldFiles, ...blockingFiles])];
      if (unplaced.length > 0) {
        throw new DataError(
          `${unplaced.join(', ')} in ${folder} ${pluralize(unplaced.length, 'was', 'were')} not written by this review, or changed since, and not replaced. Move ${pluralize(unplaced.length, 'it', 'them')} away, then run the same command again.`,
        );
      }
    },
    folder,
  );
}

const MINIMAL_CARD = '---\ntags: []\n---\n\n# CUPID\n';
