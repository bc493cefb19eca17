import type { WorkerReport } from '../../../../workflows/messages';

/** The report of a worker that has sent nothing and waits for nothing. */
export const EMPTY_REPORT: Omit<WorkerReport, 'worker' | 'sequence'> = {
  codeVersion: 'test',
  run: 'cupid-00000001',
  kind: 'synthesis',
  directivesVersion: 0,
  leased: {},
  used: {},
  waiting: 0,
  isFailing: false,
  usage: { spent: { usd: 0, tokens: 0 }, wantsBudget: false, perMinute: 0, concurrency: 1 },
};
