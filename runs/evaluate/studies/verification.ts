import { readStoredRows } from '../../../data/run/evaluation-plan';
import { getSpecNumber } from '../../../rules/method/evaluation-work';
import { countVerificationCalls, sampleForVerification } from '../../../rules/verification/sample';
import { getVerifier } from '../../../schemas/evaluation/purpose';
import type { VerificationRequest, VerificationWork } from '../../../schemas/evaluation/studies';
import type { Sample, Study, StudyBasis } from './study';

/** Verification of the data (paper, 3.2). `cupid verify` asks for it, and its results are files of their own. */
export const VERIFICATION: Study<'verification'> = {
  tasks: [],
  evaluators: [],
  readsPersonas: true,
  buildRequest: () => undefined,
  draw: drawVerification,
  read: () => Promise.resolve(undefined),
};

async function drawVerification(
  { evaluation, cohorts }: StudyBasis,
  request: VerificationRequest,
): Promise<Sample<'verification'>> {
  const { inputs, index } = evaluation;
  const verifier = getSpecNumber(inputs.evaluators, getVerifier(inputs));
  const work: VerificationWork[] = [];
  for (const { rows, round } of sampleForVerification(index, inputs, cohorts, request)) {
    const calls = countVerificationCalls(await readStoredRows(evaluation, rows));
    work.push({ kind: 'verification', rows, verifier, round, ...calls });
  }
  return { ...request, work };
}
