import type { MatchLabel } from '../../schemas/evaluation/evaluation';
import { checkMatch } from '../answers/evaluation/match';
import { checkContradiction, type Contradiction } from '../answers/verification/contradiction';
import { checkExpressions, type Expression } from '../answers/verification/expressions';
import { checkGuess } from '../answers/verification/guess';
import type { CallResult, Look } from '../trials/outcomes';
import type { PersonaQuestions } from './questions';

/** What became of a persona's questions, in their order. */
export interface PersonaAnswers {
  readonly expressions: readonly CallResult<Expression[]>[];
  readonly guesses: readonly GuessResult[];
  readonly contradictions: readonly CallResult<Contradiction>[];
}

export interface GuessResult {
  readonly guess: CallResult<string>;
  /** Absent while there is no guess, and where it is empty: that covers nothing. */
  readonly match?: CallResult<MatchLabel[]>;
}

/** Looks for the answers to a persona's questions; the turn of a call is the number, from 1, of its question. */
export function readPersonaAnswers(look: Look, questions: PersonaQuestions): PersonaAnswers {
  return {
    expressions: questions.expressions.map(({ checklist }, at) =>
      look('express', at + 1, (text) => checkExpressions(text, checklist)),
    ),
    guesses: questions.guesses.map(({ checklist }, at): GuessResult => {
      const guess = look('guess', at + 1, checkGuess);
      if (guess.state !== 'given' || guess.value === '') return { guess };
      return { guess, match: look('match', at + 1, (text) => checkMatch(text, checklist)) };
    }),
    contradictions: questions.contradictions.map((_, at) => look('contradict', at + 1, checkContradiction)),
  };
}
