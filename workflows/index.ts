import { ContinueAsNew } from '@temporalio/workflow';
import { evaluation as carryOutEvaluation } from './evaluation/evaluation';
import { study as carryOutStudy } from './evaluation/study';
import { trial as carryOutTrial } from './evaluation/trial';
import { persona as synthesizePersona } from './synthesis/persona';
import { reportEvent } from './report';
import { run as carryOutRun } from './synthesis/run';

export { batches } from './batch/batches';
export { control } from './control/control';
export { review } from './review/review';

export const run = reportEnd(carryOutRun);
export const persona = reportEnd(synthesizePersona);
export const evaluation = reportEnd(carryOutEvaluation);
export const trial = reportEnd(carryOutTrial);
export const study = reportEnd(carryOutStudy);

/** Wraps a workflow so that traces learn of its end. */
function reportEnd<Input, Result>(
  workflow: (input: Input) => Promise<Result>,
): (input: Input) => Promise<Result> {
  return async (input) => {
    try {
      const result = await workflow(input);
      reportEvent({ event: 'ended', failed: false });
      return result;
    } catch (error) {
      reportEvent({ event: 'ended', failed: !(error instanceof ContinueAsNew) });
      throw error;
    }
  };
}
