import { readRows, readStudies, readStudySubject } from '../../data/run/evaluation-plan';
import { readStoredCalls } from '../../data/run/stored-calls';
import { groupBy } from '../../rules/group-by';
import { drawPersonas, findCohorts } from '../../rules/sampling/cohorts';
import { readStudy, type FoundCall } from '../../rules/method/evaluation-reader';
import { formatResultName } from '../../rules/trials/rows';
import { buildStudyWorkflowId, createChooser, getSpecNumber } from '../../rules/method/evaluation-work';
import { listPersonaQuestions } from '../../rules/method/verification-questions';
import {
  arrangeAnswers,
  computeVerdicts,
  isAccepted,
  type InstanceVerdicts,
} from '../../rules/verification/verdicts';
import type {
  Studies,
  StudyWork,
  VerificationRequest,
  VerificationWork,
} from '../../schemas/evaluation/evaluation-run';
import { hasSimulated } from '../../schemas/model/model-spec';
import type { VerificationRow } from '../../schemas/verification/verification';
import type { StoredEvaluation } from './outcomes';

/** Share of the personas that are verified twice, to measure how far the verifier agrees with itself. */
const REPEATED_SHARE = 0.1;

type Verification = NonNullable<Studies['verification']>;

/**
 * Draws the personas whose instances are verified, by the seed. A larger sample contains every smaller one, and personas that were added to
 * the data come after the others. So neither growth repeats a call.
 */
export async function drawVerification(
  evaluation: StoredEvaluation,
  request: VerificationRequest,
): Promise<Verification> {
  const { verifier: spec = '', settings, evaluators, lists } = evaluation.inputs;
  const verifier = getSpecNumber(evaluators, spec);
  const isWanted = createChooser(request, lists);
  const personas = groupBy(evaluation.index, ({ persona_id }) => persona_id);
  const shuffled = drawPersonas(findCohorts(await evaluation.states()), settings.seed, 'verification');
  const wanted = shuffled.filter((id) => personas.get(id)?.some(isWanted) === true);
  const drawn = wanted.slice(0, request.sample ?? wanted.length);
  const repeated = drawn.slice(0, Math.ceil(drawn.length * REPEATED_SHARE));
  const work: VerificationWork[] = [];
  for (const [time, chosen] of [
    [1, drawn],
    [2, repeated],
  ] as const) {
    // In the order of the data, which are read a few rows at a time.
    const isChosen = new Set(chosen);
    for (const [id, own] of personas) {
      if (!isChosen.has(id)) continue;
      const numbers = own.map(({ number }) => number);
      // By number, so that rows in another order are asked about as before.
      const rows = numbers.toSorted((one, other) => one - other);
      const place = { kind: 'verification' as const, rows, verifier, time };
      const { expressions, guesses, contradictions } = listPersonaQuestions(
        await readRows(evaluation, place.rows),
      );
      work.push({
        ...place,
        expressions: Math.min(expressions.length, 1),
        guesses: guesses.length,
        contradictions: Math.min(contradictions.length, 1),
      });
    }
  }
  return { ...request, work };
}

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
  const repeated = new Map(work.filter(({ time }) => time === 2).map((one) => [one.rows[0], one]));
  const { evaluators, data, verifier: spec = '' } = evaluation.inputs;
  const verifier = formatResultName(evaluators, spec);
  const simulated = data.simulated === true || hasSimulated([spec]);
  for (const one of work.filter(({ time }) => time === 1)) {
    const persona = await readRows(evaluation, one.rows);
    const verdicts = await readVerdicts(evaluation, one);
    const second = repeated.get(one.rows[0]);
    const again = second === undefined ? [] : await readVerdicts(evaluation, second);
    for (const [at, { instance }] of persona.entries()) {
      const found = verdicts[at];
      if (found === undefined) continue;
      const { evidence, isOpen, ...own } = found;
      const row: VerificationRow = {
        persona_id: instance.persona_id,
        instance_type: instance.instance_type,
        accepted: isAccepted(own),
        ...own,
        items: [...evidence.items],
        current_request: instance.current_request,
        guess: evidence.guess,
        current_checklist: instance.current_checklist,
        guess_labels: evidence.guessLabels === null ? null : [...evidence.guessLabels],
        current_preference: instance.current_contextual_preference,
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
  for (const one of work) if (!(await hasOpenCall(evaluation, one))) finished += 1;
  return { all: work.length, finished };
}

/** Returns whether a piece of a study has a call without an answer. */
export async function hasOpenCall(evaluation: StoredEvaluation, work: StudyWork): Promise<boolean> {
  return (await readStudyCalls(evaluation, work)).some(({ found }) => found.state === 'open');
}

/** Reads the results of the calls of a piece of a study. @throws JournalError for a damaged answer */
export async function readStudyCalls(evaluation: StoredEvaluation, work: StudyWork): Promise<FoundCall[]> {
  const { inputs } = evaluation;
  const calls = await readStoredCalls(evaluation, buildStudyWorkflowId(inputs.id, work));
  return readStudy(inputs, work, await readStudySubject(evaluation, work), calls);
}

/** Reads the verdicts on a persona's instances, in the order of the rows. */
async function readVerdicts(
  evaluation: StoredEvaluation,
  work: VerificationWork,
): Promise<InstanceVerdicts[]> {
  const questions = listPersonaQuestions(await readRows(evaluation, work.rows));
  const answers = arrangeAnswers(questions, await readStudyCalls(evaluation, work));
  return questions.uses.map((use) => computeVerdicts(questions, use, answers));
}
