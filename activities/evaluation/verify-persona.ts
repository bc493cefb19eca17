import { ApplicationFailure } from '@temporalio/activity';
import { readVerified } from '../../data/run/evaluation-plan';
import { buildRefKey, type AnswerRef, type TrialKey } from '../../journal/key';
import { deriveSeedPlace } from '../../journal/revisions';
import { renderInteractionLog } from '../../prompts/evaluation-values';
import { renderChecklist } from '../../prompts/values';
import { checkMatch } from '../../rules/answers/evaluation/match';
import { checkContradiction, type Contradiction } from '../../rules/answers/verification/contradiction';
import { checkExpressions, type Expression } from '../../rules/answers/verification/expressions';
import { checkGuess } from '../../rules/answers/verification/guess';
import { buildVerificationId } from '../../rules/trials/trials';
import { listPersonaQuestions, type PersonaQuestions } from '../../rules/verification/questions';
import type { MatchLabel } from '../../schemas/evaluation/evaluation';
import type { VerificationWork } from '../../schemas/evaluation/evaluation-run';
import type { PriorInteraction } from '../../schemas/dataset/instance';
import type { EvaluationStep } from '../../schemas/run/step';
import { askModel, type CheckedAnswer } from '../ask-model';
import { buildPromptQuestion } from '../prompt-question';
import type { EvaluationFiles, EvaluationWorld } from './files';
import type { Place } from './inputs';
import { renderMatchPrompt } from './match-checklist';
import { buildStepQuestion } from './read-trial';

/** One of the questions about a persona: its number, from 1, is the turn of the call. */
type PersonaQuestion = Omit<Place, keyof TrialKey> &
  Pick<VerificationWork, 'rows' | 'verifier' | 'time'> & { readonly turn: number };

/** Has a model find what in the user's messages expresses a preference (paper, E and figure 20). */
export async function findExpressions(
  world: EvaluationWorld,
  input: PersonaQuestion,
): Promise<CheckedAnswer<Expression[]>> {
  const run = await world.run(input.run);
  const { expressions } = await readQuestions(run, input);
  const { checklist, sessions } = getQuestion(expressions, input);
  const values = {
    checklist: renderChecklist(checklist),
    interaction_log: renderInteractionLog(sessions.map(shortenResponses)),
  };
  return askModel(world, run, {
    ...(await buildCall(run, input, 'express')),
    ...buildPromptQuestion(run, 'verification/expression_finder', values),
    check: (text) => checkExpressions(text, checklist),
  });
}

/**
 * Only the user's messages count, as for the paper's annotators (E and figure 11). The beginning of each response is enough to understand
 * them, and whole responses would make most of a verification's cost.
 */
function shortenResponses(session: PriorInteraction): PriorInteraction {
  return {
    ...session,
    dialogue: session.dialogue.map(({ role, content }) => ({
      role,
      content: role === 'user' ? content : shorten(content),
    })),
  };
}

function shorten(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${text
    .slice(0, SHOWN_CHARACTERS)
    .replace(/\p{Surrogate}$/u, '')
    .trimEnd()} […]`;
}

/** Of a response: two or three sentences. */
const SHOWN_CHARACTERS = 300;

/** Has a model say whether one response could satisfy two preferences (paper, 3.1). */
export async function findContradiction(
  world: EvaluationWorld,
  input: PersonaQuestion,
): Promise<CheckedAnswer<Contradiction>> {
  const run = await world.run(input.run);
  const { contradictions } = await readQuestions(run, input);
  const { first, second } = getQuestion(contradictions, input);
  const values = {
    first_preference: first.preference,
    first_checklist: renderChecklist(first.checklist),
    second_preference: second.preference,
    second_checklist: renderChecklist(second.checklist),
  };
  return askModel(world, run, {
    ...(await buildCall(run, input, 'contradict')),
    ...buildPromptQuestion(run, 'verification/contradiction_finder', values),
    check: checkContradiction,
  });
}

/** Has a model say what the current request alone reveals of the expected response (paper, 3.2). */
export async function guessFromRequest(
  world: EvaluationWorld,
  input: PersonaQuestion,
): Promise<CheckedAnswer<string>> {
  const run = await world.run(input.run);
  const { guesses } = await readQuestions(run, input);
  const values = { curr_request: getQuestion(guesses, input).request };
  return askModel(world, run, {
    ...(await buildCall(run, input, 'guess')),
    ...buildPromptQuestion(run, 'verification/request_guesser', values),
    check: checkGuess,
  });
}

/** Has a model match what the request reveals with the checklists: a paraphrase has no words in common with what it reveals. */
export async function matchGuess(
  world: EvaluationWorld,
  input: PersonaQuestion & { readonly guess: AnswerRef },
): Promise<CheckedAnswer<MatchLabel[]>> {
  const run = await world.run(input.run);
  const { guesses } = await readQuestions(run, input);
  const { checklist } = getQuestion(guesses, input);
  return askModel(world, run, {
    ...(await buildCall(run, input, 'match')),
    ...renderMatchPrompt(run, 'evaluator', await readGuess(run, input), checklist),
    check: (text) => checkMatch(text, checklist),
  });
}

async function readQuestions(run: EvaluationFiles, input: PersonaQuestion): Promise<PersonaQuestions> {
  return listPersonaQuestions(await readVerified(run, { kind: 'verification', rows: input.rows }));
}

function getQuestion<T>(questions: readonly T[], { run, rows, turn }: PersonaQuestion): T {
  const question = questions[turn - 1];
  if (question === undefined) {
    throw new Error(`Verification ${run} has no question ${turn} about instance ${rows.join(', ')}.`);
  }
  return question;
}

/** How a question is asked. Its seed depends on the persona and on the time: asked twice, it is not just given the same answer again. */
async function buildCall(run: EvaluationFiles, input: PersonaQuestion, step: EvaluationStep) {
  const { rows, verifier, time, turn, generation } = input;
  const { persona_id } = (await run.instance(rows[0] ?? 0)).instance;
  return {
    ...buildStepQuestion(run, input, step, run.inputs.evaluators[verifier - 1]),
    turn,
    place: deriveSeedPlace(['verify', persona_id, time], generation),
  };
}

async function readGuess(
  run: EvaluationFiles,
  { rows, time, turn, guess }: PersonaQuestion & { readonly guess: AnswerRef },
): Promise<string> {
  const workflowId = buildVerificationId(run.id, { rows, time });
  const key = buildRefKey(workflowId, 'guess', turn, guess);
  const { answer } = await run.journal.get(key);
  const checked = checkGuess(answer.text);
  if (checked.ok) return checked.value;
  throw ApplicationFailure.nonRetryable(
    `Journal entry ${key} was accepted when it was written, but this version of the program rejects it (${checked.reason}). Continue the verification with the version that run.json names.`,
    'journal-mismatch',
  );
}
