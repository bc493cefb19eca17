import { readStoredRows, readStudies } from '../../../data/run/evaluation-plan';
import { getSpecNumber } from '../../../rules/method/evaluation-work';
import { countVerificationCalls, sampleForVerification } from '../../../rules/verification/sample';
import { getVerifier } from '../../../schemas/evaluation/purpose';
import type { VerificationRequest, VerificationWork } from '../../../schemas/evaluation/studies';
import { hasOpenCall } from './calls';
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

/** Draws the personas. Earlier ones with all their verdicts stay, so that nothing that was paid for leaves the results. */
async function drawVerification(
  { evaluation, cohorts }: StudyBasis,
  request: VerificationRequest,
): Promise<Sample<'verification'>> {
  const { inputs, index, store } = evaluation;
  const verifier = getSpecNumber(inputs.evaluators, getVerifier(inputs));
  const earlier = (await readStudies(store)).verification?.work ?? [];
  const work: VerificationWork[] = [];
  let earlierPersonas = 0;
  for (const { isDrawn, ...persona } of sampleForVerification(index, inputs, cohorts, request, earlier)) {
    const calls = countVerificationCalls(await readStoredRows(evaluation, persona.rows));
    const piece: VerificationWork = { kind: 'verification', ...persona, verifier, ...calls };
    // A smaller sample makes no call for a larger one that was stopped.
    if (!isDrawn && (await hasOpenCall(evaluation, piece))) continue;
    work.push(piece);
    if (!isDrawn && persona.round === 1) earlierPersonas += 1;
  }
  return { ...request, work, earlierPersonas };
}
