import { readStoredRows, readStudies } from '../../data/run/evaluation-plan';
import { formatResultName } from '../../rules/trials/rows';
import { listPersonaQuestions } from '../../rules/method/verification-questions';
import {
  arrangeAnswers,
  computeVerdicts,
  isAccepted,
  type InstanceVerdicts,
} from '../../rules/verification/verdicts';
import type { VerificationWork } from '../../schemas/evaluation/studies';
import { getVerifier } from '../../schemas/evaluation/purpose';
import { hasSimulated } from '../../schemas/model/model-spec';
import type { VerificationRow } from '../../schemas/verification/verification';
import type { StoredEvaluation } from './outcomes';
import { hasOpenCall, readStudyCalls } from './studies/calls';

/** Verdicts of the verifier on an instance. */
interface VerifiedRow {
  readonly row: VerificationRow;
  /** True while one of its calls was not made yet. */
  readonly isOpen: boolean;
}

/** Reads the verdicts on every sampled instance, in the order of the data. */
export async function* readVerificationRows(evaluation: StoredEvaluation): AsyncGenerator<VerifiedRow> {
  const { verification } = await readStudies(evaluation.store);
  const work = verification?.work ?? [];
  const repeated = new Map(work.filter(({ round }) => round === 2).map((piece) => [piece.rows[0], piece]));
  const { evaluators, data } = evaluation.inputs;
  const spec = getVerifier(evaluation.inputs);
  const verifier = formatResultName(evaluators, spec);
  const simulated = data.simulated === true || hasSimulated([spec]);
  for (const piece of work.filter(({ round }) => round === 1)) {
    const persona = await readStoredRows(evaluation, piece.rows);
    const verdicts = await readVerdicts(evaluation, piece);
    const second = repeated.get(piece.rows[0]);
    const again = second === undefined ? [] : await readVerdicts(evaluation, second);
    for (const [at, { instance }] of persona.entries()) {
      const instanceVerdicts = verdicts[at];
      if (instanceVerdicts === undefined) continue;
      const { evidence, isOpen, ...verdictFields } = instanceVerdicts;
      const row: VerificationRow = {
        persona_id: instance.persona_id,
        instance_type: instance.instance_type,
        accepted: isAccepted(verdictFields),
        ...verdictFields,
        items: [...evidence.items],
        current_request: instance.current_request,
        guess: evidence.guess,
        current_checklist: instance.current_checklist,
        guess_labels: evidence.guessLabels === null ? null : [...evidence.guessLabels],
        current_contextual_preference: instance.current_contextual_preference,
        other_preference: evidence.otherPreference,
        contradiction: evidence.contradiction,
        solvable_again: again[at]?.solvable ?? null,
        challenging_again: again[at]?.challenging ?? null,
        contrasting_again: again[at]?.contrasting ?? null,
        unknown_causes: [...evidence.unknownCauses],
        verifier,
        answered_by: [...evidence.answeredBy],
        simulated,
      };
      yield { row, isOpen: isOpen || again[at]?.isOpen === true };
    }
  }
}

/** Counts the personas to verify, those of the repeated sample twice, and those of them with all answers. */
export async function countVerification(
  evaluation: StoredEvaluation,
): Promise<{ all: number; finished: number }> {
  const work = (await readStudies(evaluation.store)).verification?.work ?? [];
  let finished = 0;
  for (const piece of work) if (!(await hasOpenCall(evaluation, piece))) finished += 1;
  return { all: work.length, finished };
}

/** Reads the verdicts on a persona's instances, in the order of the rows. */
async function readVerdicts(
  evaluation: StoredEvaluation,
  work: VerificationWork,
): Promise<InstanceVerdicts[]> {
  const questions = listPersonaQuestions(await readStoredRows(evaluation, work.rows));
  const answers = arrangeAnswers(questions, await readStudyCalls(evaluation, work));
  return questions.uses.map((use) => computeVerdicts(questions, use, answers));
}
