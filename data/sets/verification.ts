import { join } from 'node:path';
import { readParsedRows } from '../readers/parquet-table';
import type { DataSet } from './data-set';
import { DataError } from '../store/data-error';
import { requireDirectories } from '../store/own-file';
import { readJsonAsWritten } from '../outputs/as-written';
import { findRunFolderAbove } from '../folders/run-folders';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import type { Instance } from '../../schemas/dataset/instance';
import {
  countedVerdictsSchema,
  VERIFICATION_FILES,
  VERIFICATION_FOLDER,
  verificationResultsSchema,
  type VerificationResults,
} from '../../schemas/verification/verification';
import { hasSimulated } from '../../schemas/model/model-spec';
import { quotePath } from '../../schemas/text/shell-text';

/** A verification, and which instances it accepted. */
export interface Verification {
  /** Folder of its results, as `cupid verify` wrote them. */
  readonly folder: string;
  readonly results: VerificationResults;
  readonly isAccepted: (instance: Pick<Instance, 'persona_id' | 'instance_type'>) => boolean;
}

/** By which option a command names the results of `cupid verify`. */
type VerificationOption = '--verified' | '--auto';

/**
 * Reads the totals of a data set's verification.
 * @param folder where `cupid verify` wrote its results
 * @throws DataError when there is none, or it is of other data
 */
export async function requireVerification(
  folder: string,
  dataSet: DataSet,
  option: VerificationOption = '--verified',
): Promise<VerificationResults> {
  const results = await readVerificationResults(folder);
  if (results === undefined) {
    throw new DataError(
      `There is no ${join(folder, VERIFICATION_FILES.summary)}, so no instance was verified. Verify the data first: cupid verify DATA --model SPEC. If the results are elsewhere, name their folder: ${option} DIR`,
    );
  }
  if (results.data.sha256 !== dataSet.sha256) {
    const { source } = results.data;
    const reason =
      source === dataSet.source
        ? `${folder} is the verification of an earlier state of ${source}`
        : `${folder} is the verification of other data: of ${source}, not of ${dataSet.source}`;
    throw new DataError(
      `${reason}. Verify this data: cupid verify ${quotePath(dataSet.argument)} --model SPEC --results-dir DIR`,
    );
  }
  return results;
}

/**
 * Reads the verification of a data set, with its accepted instances.
 * @param folder where `cupid verify` wrote its results
 * @throws DataError when there is none, it is of other data, or no instance was accepted
 */
export async function readVerification(
  folder: string,
  dataSet: DataSet,
  option?: VerificationOption,
): Promise<Verification> {
  const results = await requireVerification(folder, dataSet, option);
  const accepted = new Set<string>();
  const path = join(folder, VERIFICATION_FILES.rows);
  for await (const { row } of readParsedRows(path, verdictSchema, VERIFY_AGAIN)) {
    if (row.accepted) accepted.add(buildInstanceKey(row));
  }
  if (accepted.size === 0) {
    throw new DataError(
      `${folder} accepted no instance, so there is nothing to write. Look at ${path} for the reasons.`,
    );
  }
  return {
    folder,
    results,
    isAccepted: (instance) => accepted.has(buildInstanceKey(instance)),
  };
}

/**
 * Finds the verification of this data in its run's folder. Returns undefined for other data, or when a simulated model verified real data,
 * because its verdicts mean nothing.
 */
export async function findVerification(dataSet: DataSet): Promise<VerificationResults | undefined> {
  const results = await readVerificationResults(await findVerificationFolder(dataSet));
  if (results?.data.sha256 !== dataSet.sha256) return undefined;
  return hasSimulated([results.verifier]) && dataSet.simulated !== true ? undefined : results;
}

/** Finds the folder with the verification of a run's data, or of other data in a folder. @throws IrregularFile if it is a link */
export async function findVerificationFolder({ argument }: Pick<DataSet, 'argument'>): Promise<string> {
  const parent = findRunFolderAbove(argument) ?? argument;
  const folder = join(parent, VERIFICATION_FOLDER);
  await requireDirectories(folder, parent);
  return folder;
}

/** Reads a folder's `verification.json`. Returns undefined when there is none. @throws DataError when it cannot be used */
export async function readVerificationResults(folder: string): Promise<VerificationResults | undefined> {
  const path = join(folder, VERIFICATION_FILES.summary);
  return readJsonAsWritten(verificationResultsSchema, path, folder, VERIFY_AGAIN);
}

/** Remedy for results of `cupid verify` that are not in its form. */
export const VERIFY_AGAIN = 'Repeat the cupid verify command, which writes its results again.';

const verdictSchema = countedVerdictsSchema.pick({ persona_id: true, instance_type: true, accepted: true });
