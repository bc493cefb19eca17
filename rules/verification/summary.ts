import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import type {
  CountedVerdicts,
  SelfAgreement,
  Verdict,
  VerificationResults,
  VerificationSummary,
} from '../../schemas/verification/verification';

/** The verdicts, each named as its column. */
export const VERDICT_NAMES = ['solvable', 'challenging', 'contrasting'] as const;
type VerdictName = (typeof VERDICT_NAMES)[number];

function mapVerdicts<Result>(map: (name: VerdictName) => Result): Record<VerdictName, Result> {
  return { solvable: map('solvable'), challenging: map('challenging'), contrasting: map('contrasting') };
}

export function summarizeVerification(rows: readonly CountedVerdicts[]): VerificationSummary {
  const decisions = rows.map(decideVerdicts);
  const countDecisions = (decision: Decision) =>
    decisions.filter((candidate) => candidate === decision).length;
  const count = (name: VerdictName, verdict: Verdict) => rows.filter((row) => row[name] === verdict).length;
  return {
    n_instances: rows.length,
    accepted: countDecisions('accepted'),
    rejected: countDecisions('rejected'),
    undecided: countDecisions('undecided'),
    verdicts: mapVerdicts((name) => ({
      yes: count(name, 'yes'),
      no: count(name, 'no'),
      unknown: count(name, 'unknown'),
    })),
  };
}

type Decision = 'accepted' | 'rejected' | 'undecided';

/** Decides about an instance by its verdicts. */
export function decideVerdicts(row: Pick<CountedVerdicts, VerdictName | 'accepted'>): Decision {
  if (row.accepted) return 'accepted';
  return VERDICT_NAMES.some((name) => row[name] === 'no') ? 'rejected' : 'undecided';
}

/** Summarizes by instance type, for types that occur. */
export function summarizeByType(rows: readonly CountedVerdicts[]): VerificationResults['by_type'] {
  return Object.fromEntries(
    INSTANCE_TYPES.flatMap((type) => {
      const typeRows = rows.filter(({ instance_type }) => instance_type === type);
      return typeRows.length === 0 ? [] : [[type, summarizeVerification(typeRows)]];
    }),
  );
}

/** Computes the verifier's agreement with itself on the personas that it was asked about twice. */
export function computeSelfAgreement(rows: readonly CountedVerdicts[]): SelfAgreement {
  const repeated = rows.filter(({ solvable_again }) => solvable_again !== null);
  const verdicts = mapVerdicts((name) => {
    const pairs = repeated
      .map((row) => [row[name], row[`${name}_again`]] as const)
      .filter((pair) => pair.every((verdict) => verdict === 'yes' || verdict === 'no'));
    return { compared: pairs.length, equal: pairs.filter(([first, again]) => first === again).length };
  });
  const comparedCount = VERDICT_NAMES.reduce((sum, name) => sum + verdicts[name].compared, 0);
  const equal = VERDICT_NAMES.reduce((sum, name) => sum + verdicts[name].equal, 0);
  return {
    n_personas: new Set(repeated.map(({ persona_id }) => persona_id)).size,
    verdicts,
    share: comparedCount === 0 ? null : equal / comparedCount,
  };
}
