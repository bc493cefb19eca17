import { join } from 'node:path';
import type * as z from 'zod';
import { readInstances } from '../../data/sets/read';
import { readParsedRows } from '../../data/readers/parquet-table';
import type { DataSet } from '../../data/sets/data-set';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { VERIFY_AGAIN, type Verification } from '../../data/sets/verification';
import { selectAccepted } from '../export/verified';
import { decideVerdicts, VERDICT_NAMES } from '../../rules/verification/summary';
import type { MatchLabel } from '../../schemas/matching/match-label';
import type { AuditRow } from '../../schemas/review/review';
import {
  VERIFICATION_FILES,
  verificationRowSchema,
  type ExpressionRating,
} from '../../schemas/verification/verification';
import { placeReviewFiles, type ReviewPlace, type ReviewResult } from './place-files';

/**
 * Writes the results of a review by a model: the accepted instances, a card that says so, and an audit row for each
 * verified instance.
 */
export async function writeVerifiedData(
  place: ReviewPlace,
  dataSet: DataSet,
  verification: Verification,
): Promise<ReviewResult> {
  const source = {
    columns: INSTANCE_COLUMNS,
    rows: () => readInstances(dataSet),
    card: undefined,
    simulated: dataSet.simulated,
  };
  const { rows, finishCard = (card: string) => card } = selectAccepted(source, verification);
  await placeReviewFiles(place, dataSet, {
    rows: rows(),
    audit: listVerdicts(verification.folder),
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
  const reasons = VERDICT_NAMES.flatMap((name) => {
    const verdict = verdicts[name];
    return verdict === null || verdict === 'yes' ? [] : [`${name}: ${verdict}`];
  });
  return {
    task: `${persona_id}/${instance_type}`,
    kind: 'instance',
    persona_id,
    rater: verifier,
    role: 'model',
    items: items.flatMap(({ item, rating }) => (rating === null ? [] : [{ item, label: LABELS[rating] }])),
    realism: null,
    implicitness: null,
    rejection: verdicts.accepted ? null : reasons.join(', '),
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
