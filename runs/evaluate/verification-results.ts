import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readStudies } from '../../data/run/evaluation-plan';
import { placeOutputs, type OutputPlacement } from '../../data/run/place-outputs';
import { useTemporaryDirectory } from '../../data/store/directories';
import { VERIFICATION_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import { sumLabels } from '../../rules/scores/instance-scores';
import { ShareCounter } from '../../rules/statistics/share';
import {
  computeSelfAgreement,
  summarizeByType,
  summarizeVerification,
} from '../../rules/verification/summary';
import { getVerifier } from '../../schemas/evaluation/purpose';
import type { VerificationWork } from '../../schemas/evaluation/studies';
import type { RunFolder } from '../folder/run-folder';
import {
  countedVerdictsSchema,
  VERIFICATION_FORMAT,
  VERIFICATION_FILES,
  type CountedVerdicts,
  type VerificationResults,
  type VerificationRow,
} from '../../schemas/verification/verification';
import type { StoredEvaluation } from './outcomes';
import { isSimulated } from './results';
import { readVerificationRows } from './verdicts';

/** Results of a verification, and what became of their files. */
export interface WrittenVerification {
  readonly kind: 'verification';
  readonly results: VerificationResults;
  readonly placement: OutputPlacement;
  readonly isOpen: boolean;
  /** Number of verified personas that only earlier commands chose. */
  readonly earlierPersonas: number;
}

/** Writes a verification's results from its store into its folder. */
export async function writeVerification(
  folder: Pick<RunFolder, 'path' | 'store' | 'scratch'>,
  evaluation: StoredEvaluation,
): Promise<WrittenVerification> {
  return useTemporaryDirectory(
    folder.scratch,
    'verification-',
    async (directory) => {
      const tally: VerdictTally = { rows: [], recall: new ShareCounter(), isOpen: false };
      const rows = tallyRows(evaluation, tally);
      await writeParquet(join(directory, VERIFICATION_FILES.rows), VERIFICATION_COLUMNS, rows);
      const { verification } = await readStudies(evaluation.store);
      const results = buildVerificationResults(evaluation, tally, verification?.work ?? []);
      await writeFile(join(directory, VERIFICATION_FILES.summary), `${JSON.stringify(results, null, 2)}\n`);
      const placement = await placeOutputs(folder.path, [
        Object.values(VERIFICATION_FILES).map((path) => ({ path, newFile: join(directory, path) })),
      ]);
      const { isOpen } = tally;
      const earlierPersonas = verification?.earlierPersonas ?? 0;
      return { kind: 'verification' as const, results, placement, isOpen, earlierPersonas };
    },
    folder.path,
  );
}

interface VerdictTally {
  readonly rows: CountedVerdicts[];
  readonly recall: ShareCounter;
  isOpen: boolean;
}

async function* tallyRows(
  evaluation: StoredEvaluation,
  tally: VerdictTally,
): AsyncGenerator<VerificationRow> {
  for await (const { row, isOpen } of readVerificationRows(evaluation)) {
    tally.rows.push(countedVerdictsSchema.parse(row));
    tally.isOpen ||= isOpen;
    countRecall(tally.recall, row);
    yield row;
  }
}

/** Counts the recall of one request; one that reveals nothing covers nothing. */
function countRecall(recall: ShareCounter, row: VerificationRow): void {
  const { persona_id: persona, guess, guess_labels: labels, current_checklist: checklist } = row;
  if (guess === '') recall.add(persona, 0, checklist.length);
  else if (labels !== null) recall.add(persona, sumLabels(labels), checklist.length);
}

function buildVerificationResults(
  { inputs, index }: StoredEvaluation,
  { rows, recall }: Pick<VerdictTally, 'rows' | 'recall'>,
  work: readonly VerificationWork[],
): VerificationResults {
  return {
    format: VERIFICATION_FORMAT,
    simulated: isSimulated(inputs),
    verifier: getVerifier(inputs),
    data: inputs.data,
    seed: inputs.settings.seed,
    prompts: inputs.prompts,
    personas: {
      verified: work.filter(({ round }) => round === 1).length,
      all: new Set(index.map(({ persona_id }) => persona_id)).size,
    },
    all: summarizeVerification(rows),
    by_type: summarizeByType(rows),
    self_agreement: computeSelfAgreement(rows),
    request_recall: computeRequestRecall(recall),
  };
}

/** Returns the recall with the sum of labels, which may be a fraction, under a name of its own. */
function computeRequestRecall(recall: ShareCounter): VerificationResults['request_recall'] {
  const figure = recall.end();
  if (figure === undefined) return null;
  const { share, count, total, interval } = figure;
  return { share, matched: count, total, interval };
}
