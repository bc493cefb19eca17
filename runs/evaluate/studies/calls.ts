import { readStudySubject } from '../../../data/run/evaluation-plan';
import { readStoredCalls } from '../../../data/run/stored-calls';
import { readStudy, type FoundCall } from '../../../rules/method/evaluation-reader';
import { buildStudyId } from '../../../rules/method/evaluation-work';
import type { StudyWork } from '../../../schemas/evaluation/studies';
import type { StoredEvaluation } from '../outcomes';

/** Reads the results of the calls of a piece of a study. @throws JournalError for a damaged answer */
export async function readStudyCalls(evaluation: StoredEvaluation, work: StudyWork): Promise<FoundCall[]> {
  const { inputs } = evaluation;
  const calls = await readStoredCalls(evaluation, buildStudyId(inputs.id, work));
  return readStudy(inputs, work, await readStudySubject(evaluation, work), calls);
}

/** Returns whether a piece of a study has a call without an answer. */
export async function hasOpenCall(evaluation: StoredEvaluation, work: StudyWork): Promise<boolean> {
  return (await readStudyCalls(evaluation, work)).some(({ result }) => result.state === 'open');
}
