import { VERIFICATION_FORMAT, type VerificationResults } from '../../schemas/verification/verification';

const COUNTS = { yes: 5, no: 1, unknown: 0 };
const REPEATED = { compared: 3, equal: 3 };

/** Builds the content of `verification.json`. @param sha256 of the data */
export function buildVerificationResults(sha256 = 'ab12'): VerificationResults {
  return {
    format: VERIFICATION_FORMAT,
    simulated: false,
    verifier: 'openai:gpt-6.1-terra',
    data: { argument: 'out', source: 'out/test.parquet', files: [], sha256, instances: 6 },
    seed: 42,
    prompts: { source: 'built-in', hash: 'cd34' },
    personas: { verified: 2, all: 3 },
    all: {
      n_instances: 6,
      accepted: 4,
      rejected: 2,
      undecided: 0,
      verdicts: { solvable: COUNTS, challenging: COUNTS, contrasting: COUNTS },
    },
    by_type: {},
    self_agreement: {
      n_personas: 1,
      verdicts: { solvable: REPEATED, challenging: REPEATED, contrasting: REPEATED },
      share: 0.975,
    },
    request_recall: { share: 0.1, matched: 1.5, total: 15, interval: { low: 0.02, high: 0.4 } },
  };
}
