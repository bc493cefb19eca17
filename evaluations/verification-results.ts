import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readStudies } from '../data/run/evaluation-plan';
import { placeOutputs, type Output, type OutputPlacement } from '../data/run/place-outputs';
import { VERIFICATION_COLUMNS } from '../data/tables/columns';
import { writeParquet } from '../data/tables/parquet';
import {
  computeSelfAgreement,
  summarizeByType,
  summarizeVerification,
  type SelfAgreement,
} from '../rules/verification/summary';
import type { RunFolder } from '../runs/folder/run-folder';
import type { EvaluationInputs } from '../schemas/evaluation/evaluation-run';
import {
  countedVerdictsSchema,
  type CountedVerdicts,
  type VerificationRow,
} from '../schemas/verification/verification';
import type { StoredEvaluation } from './outcomes';
import { isSimulated } from './results';
import { readVerificationRows } from './verification';

/** The names of a verification's results in its folder. */
export const VERIFICATION_FILES = {
  summary: 'verification.json',
  rows: 'verification.parquet',
} as const;

/** `verification.json`: who verified what, and with what result. */
export interface VerificationResults {
  readonly format: 1;
  /** True when the data or the verifier are simulated: the verdicts then say nothing about real data. */
  readonly simulated: boolean;
  /** SPEC of the model. */
  readonly verifier: string;
  readonly data: EvaluationInputs['data'];
  readonly seed: number;
  readonly prompts: EvaluationInputs['prompts'];
  /** How many personas were drawn, of how many. */
  readonly personas: { readonly verified: number; readonly all: number };
  readonly all: ReturnType<typeof summarizeVerification>;
  readonly by_type: ReturnType<typeof summarizeByType>;
  readonly self_agreement: SelfAgreement;
}

/** Results of a verification, and what became of their files. */
export interface WrittenVerification {
  readonly results: VerificationResults;
  readonly placed: OutputPlacement;
  readonly isOpen: boolean;
}

/** Writes a verification's results into its folder, from what its store keeps. */
export async function writeVerification(
  folder: Pick<RunFolder, 'path' | 'store' | 'scratch'>,
  kept: StoredEvaluation,
): Promise<WrittenVerification> {
  await mkdir(folder.scratch, { recursive: true });
  const made = await mkdtemp(join(folder.scratch, 'verification-'));
  const outputOf = (path: string): Output => ({ path, made: join(made, path) });
  try {
    const tally: Tally = { rows: [], isOpen: false };
    const rows = tallyRows(kept, tally);
    await writeParquet(join(made, VERIFICATION_FILES.rows), VERIFICATION_COLUMNS, rows);
    const results = await buildResults(kept, tally.rows);
    await writeFile(join(made, VERIFICATION_FILES.summary), `${JSON.stringify(results, null, 2)}\n`);
    const placed = await placeOutputs(folder, [Object.values(VERIFICATION_FILES).map(outputOf)]);
    return { results, placed, isOpen: tally.isOpen };
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

interface Tally {
  readonly rows: CountedVerdicts[];
  isOpen: boolean;
}

async function* tallyRows(kept: StoredEvaluation, tally: Tally): AsyncGenerator<VerificationRow> {
  for await (const { row, isOpen } of readVerificationRows(kept)) {
    tally.rows.push(countedVerdictsSchema.parse(row));
    tally.isOpen ||= isOpen;
    yield row;
  }
}

async function buildResults(kept: StoredEvaluation, rows: Tally['rows']): Promise<VerificationResults> {
  const { inputs, index } = kept;
  const { verification } = await readStudies(kept.store);
  return {
    format: 1,
    simulated: isSimulated(inputs),
    verifier: inputs.verifier ?? '',
    data: inputs.data,
    seed: inputs.settings.seed,
    prompts: inputs.prompts,
    personas: {
      verified: (verification?.work ?? []).filter(({ time }) => time === 1).length,
      all: new Set(index.map(({ persona_id }) => persona_id)).size,
    },
    all: summarizeVerification(rows),
    by_type: summarizeByType(rows),
    self_agreement: computeSelfAgreement(rows),
  };
}
