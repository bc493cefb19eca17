import { randomUUID } from 'node:crypto';
import type { RunKind } from '../../schemas/run/run';

/** Purpose of a run: a verification is an evaluation without cells. */
export type RunPurpose = RunKind | 'verification';

const PREFIXES: Readonly<Record<RunPurpose, string>> = {
  synthesis: 'cupid-',
  evaluation: 'cupid-eval-',
  verification: 'cupid-verify-',
};

/** Returns the id of a new run, such as `cupid-1a2b3c4d` or `cupid-eval-1a2b3c4d`. */
export function createRunId(purpose: RunPurpose): string {
  return `${PREFIXES[purpose]}${randomUUID().slice(0, 8)}`;
}

/** Returns the purpose of the run with this id; undefined for any other text. */
export function parsePurpose(id: string): RunPurpose | undefined {
  const { prefix } = /^(?<prefix>cupid-(?:[a-z]+-)?)[\da-f]{8}$/.exec(id)?.groups ?? {};
  return PURPOSES.find((purpose) => PREFIXES[purpose] === prefix);
}

const PURPOSES = ['synthesis', 'evaluation', 'verification'] as const;

/** Returns the kind of the run with this id; undefined for any other text. */
export function parseRunKind(id: string): RunKind | undefined {
  const purpose = parsePurpose(id);
  return purpose === 'verification' ? 'evaluation' : purpose;
}
