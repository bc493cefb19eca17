import { readVerified } from '../../data/run/evaluation-plan';
import { buildRefKey, type AnswerRef, type TrialKey } from '../../engine/journal/key';
import { deriveSeedPlace } from '../../engine/journal/revisions';
import { renderExpressionQuestions, renderPairs } from '../../data/prompts/verification-values';
import { checkMatch } from '../../rules/answers/evaluation/match';
import { checkContradictions, type Contradiction } from '../../rules/answers/verification/contradiction';
import { checkExpressions, type Expression } from '../../rules/answers/verification/expressions';
import { checkGuess } from '../../rules/answers/verification/guess';
import { buildVerificationId } from '../../rules/trials/trials';
import { listPersonaQuestions, type PersonaQuestions } from '../../rules/verification/questions';
import type { MatchLabel } from '../../schemas/evaluation/evaluation';
import type { VerificationWork } from '../../schemas/evaluation/evaluation-run';
import type { EvaluationStep } from '../../schemas/run/step';
import { askModel, type CheckedAnswer, readAccepted, buildPromptQuestion } from '../ask-model';
import type { EvaluationFiles, EvaluationWorld, Place } from './inputs';
import { renderMatchPrompt } from './matching';
import { buildStepQuestion } from './read-trial';

/** A call about a persona: its turn is the number of the request that it is about, from 1, or 1. */
type PersonaQuestion = Omit<Place, keyof TrialKey> &
  Pick<VerificationWork, 'rows' | 'verifier' | 'time'> & { readonly turn: number };

/** Has a model find the user's messages that express each preference of a persona (paper, E and figure 20). */
export async function findExpressions(
  world: EvaluationWorld,
  input: PersonaQuestion,
): Promise<CheckedAnswer<Expression[][]>> {
  const { run } = world;
  const { expressions } = await readQuestions(run, input);
  const checklists = expressions.map(({ checklist }) => checklist);
  return askModel(world, {
    ...(await buildCall(run, input, 'express')),
    ...buildPromptQuestion(run, 'verification/expression_finder', renderExpressionQuestions(expressions)),
    check: (text) => checkExpressions(text, checklists),
  });
}

/** Has a model say whether one response could satisfy both preferences of each of a persona's pairs (paper, 3.1). */
export async function findContradictions(
  world: EvaluationWorld,
  input: PersonaQuestion,
): Promise<CheckedAnswer<Contradiction[]>> {
  const { run } = world;
  const { contradictions } = await readQuestions(run, input);
  return askModel(world, {
    ...(await buildCall(run, input, 'contradict')),
    ...buildPromptQuestion(run, 'verification/contradiction_finder', { pairs: renderPairs(contradictions) }),
    check: (text) => checkContradictions(text, contradictions.length),
  });
}

/** Has a model say what the current request alone reveals of the expected response (paper, 3.2). */
export async function guessFromRequest(
  world: EvaluationWorld,
  input: PersonaQuestion,
): Promise<CheckedAnswer<string>> {
  const { run } = world;
  const { request } = getGuess(await readQuestions(run, input), input);
  return askModel(world, {
    ...(await buildCall(run, input, 'guess')),
    ...buildPromptQuestion(run, 'verification/request_guesser', { curr_request: request }),
    check: checkGuess,
  });
}

/** Has a model match what the request reveals with the checklists: a paraphrase has no words in common with what it reveals. */
export async function matchGuess(
  world: EvaluationWorld,
  input: PersonaQuestion & { readonly guess: AnswerRef },
): Promise<CheckedAnswer<MatchLabel[]>> {
  const { run } = world;
  const { checklist } = getGuess(await readQuestions(run, input), input);
  return askModel(world, {
    ...(await buildCall(run, input, 'match')),
    ...renderMatchPrompt(run, 'evaluator', await readGuess(run, input), checklist),
    check: (text) => checkMatch(text, checklist),
  });
}

async function readQuestions(run: EvaluationFiles, input: PersonaQuestion): Promise<PersonaQuestions> {
  return listPersonaQuestions(await readVerified(run, { kind: 'verification', rows: input.rows }));
}

function getGuess({ guesses }: PersonaQuestions, { run, rows, turn }: PersonaQuestion) {
  const guess = guesses[turn - 1];
  if (guess === undefined) {
    throw new Error(`Verification ${run} has no request ${turn} of instance ${rows.join(', ')}.`);
  }
  return guess;
}

/** How a question is asked. Its seed depends on the persona and on the time: asked twice, it is not just given the same answer again. */
async function buildCall(run: EvaluationFiles, input: PersonaQuestion, step: EvaluationStep) {
  const { rows, verifier, time, turn, generation: revision } = input;
  const { persona_id } = (await run.instance(rows[0] ?? 0)).instance;
  return {
    ...buildStepQuestion(run, input, step, run.inputs.evaluators[verifier - 1]),
    turn,
    place: deriveSeedPlace(['verify', persona_id, time], revision),
  };
}

async function readGuess(
  run: EvaluationFiles,
  { rows, time, turn, guess }: PersonaQuestion & { readonly guess: AnswerRef },
): Promise<string> {
  const workflowId = buildVerificationId(run.id, { rows, time });
  const key = buildRefKey(workflowId, 'guess', turn, guess);
  return (await readAccepted(run, key, checkGuess, 'verification')).value;
}
