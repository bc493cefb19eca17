/** The purpose of an evaluation: to score models, or to verify the data. A verification has no cells, and its only study is `verification`. */
export type EvaluationPurpose = 'evaluation' | 'verification';

/** Inputs that tell the purpose: only a verification has a verifier. */
interface PurposeInputs {
  readonly verifier?: string | undefined;
}

export function getPurpose({ verifier }: PurposeInputs): EvaluationPurpose {
  return verifier === undefined ? 'evaluation' : 'verification';
}

/** Returns the SPEC of a verification's verifier. @throws Error for an evaluation */
export function getVerifier({ verifier }: PurposeInputs): string {
  if (verifier === undefined) throw new Error('An evaluation has no verifier.');
  return verifier;
}
