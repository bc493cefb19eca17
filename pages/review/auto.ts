import { join } from 'node:path';
import type * as z from 'zod';
import { readInstances } from '../../data/sets/read';
import { readParsedRows } from '../../data/readers/parquet-table';
import type { DataSet } from '../../data/sets/data-set';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { readVerification, VERIFY_AGAIN } from '../../data/sets/verification';
import { selectAccepted } from '../../publishing/export/verified';
import { decideVerdicts } from '../../rules/verification/summary';
import type { MatchLabel } from '../../schemas/matching/match-label';
import type { AuditRow } from '../../schemas/review/review';
import {
  VERIFICATION_FILES,
  verificationRowSchema,
  type ExpressionRating,
} from '../../schemas/verification/verification';
import { placeReviewFiles, type ReviewResult } from './finish';
import { openReviewStore } from '../../runs/folder/review-store';
import { lockReview } from '../../runs/review/folder';

/**
 * Writes the results of a review by a model: the accepted instances, a card that says so, and an audit row for each
 * verified instance.
 * @param path of the review
 * @param verified the folder of `cupid verify`
 * @throws DataError when these data were not verified there, or no instance was accepted
 */
export async function acceptVerified(
  path: string,
  dataSet: DataSet,
  verified: string,
): Promise<ReviewResult> {
  const verification = await readVerification(verified, dataSet, '--auto');
  using _lock = await lockReview(path);
  const source = {
    columns: INSTANCE_COLUMNS,
    rows: () => readInstances(dataSet),
    card: undefined,
    simulated: dataSet.simulated,
  };
  const { rows, finishCard = (card: string) => card } = selectAccepted(source, verification);
  await placeReviewFiles({ path, store: openReviewStore(path) }, dataSet, {
    rows: rows(),
    audit: listVerdicts(verified),
    finishCard,
  });
  const { data, all } = verification.results;
  const { accepted, rejected } = all;
  // If only a sample of the personas was verified, the others have no verdict.
  return { accepted, rejected, open: data.instances - accepted - rejected, unreviewable: 0, revised: 0 };
}

async function* listVerdicts(folder: string): AsyncGenerator<AuditRow> {
  const path = join(folder, VERIFICATION_FILES.rows);
  for await (const { row } of readParsedRows(path, verdictsSchema, VERIFY_AGAIN)) yield buildAuditRow(row);
}

const verdictsSchema = verificationRowSchema.pick({
  persona_id: true,
  instance_type: true,
  verifier: true,
  items: true,
  solvable: true,
  challenging: true,
  contrasting: true,
  accepted: true,
});

function buildAuditRow({
  persona_id,
  instance_type,
  verifier,
  items,
  ...verdicts
}: z.infer<typeof verdictsSchema>): AuditRow {
  const { solvable, challenging, contrasting, accepted } = verdicts;
  const reasons = Object.entries({ solvable, challenging, contrasting }).flatMap(([name, verdict]) =>
    verdict === null || verdict === 'yes' ? [] : [`${name}: ${verdict}`],
  );
  return {
    task: `${persona_id}/${instance_type}`,
    kind: 'instance',
    persona_id,
    rater: verifier,
    role: 'model',
    items: items.flatMap(({ item, rating }) => (rating === null ? [] : [{ item, label: LABELS[rating] }])),
    realism: null,
    implicitness: null,
    rejection: accepted ? null : reasons.join(', '),
    revisions: [],
    annotated_at: null,
    source: 'verify',
    outcome: OUTCOMES[decideVerdicts(verdicts)],
  };
}

const OUTCOMES = { accepted: 'sound', rejected: 'rejected', undecided: 'open' } as const;

const LABELS: Readonly<Record<ExpressionRating, MatchLabel>> = {
  Fully: 'Fully Covered',
  Partly: 'Partially Covered',
  'Not at all': 'Not Covered',
};
