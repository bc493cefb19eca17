import type { MatchLabel } from '../../schemas/evaluation/evaluation';
import { checkMatch } from '../answers/evaluation/match';
import { checkContradictions, type Contradiction } from '../answers/verification/contradiction';
import { checkExpressions, type Expression } from '../answers/verification/expressions';
import { checkGuess } from '../answers/verification/guess';
import type { CallResult, AnswerLookup } from '../trials/outcomes';
import type { PersonaQuestions } from './questions';

export interface PersonaAnswers {
  /** For each preference its items, all in one answer; absent where no prior session has any of the preferences. */
  readonly expressions?: CallResult<Expression[][]>;
  readonly guesses: readonly GuessResult[];
  /** For each pair of preferences, all in one answer; absent where there is none. */
  readonly contradictions?: CallResult<Contradiction[]>;
}

interface GuessResult {
  readonly guess: CallResult<string>;
  /** Absent while there is no guess, and where it is empty: that covers nothing. */
  readonly match?: CallResult<MatchLabel[]>;
}

/** Looks for the answers to a persona's questions; the turn of a call is the number of its request, from 1, or 1 if it asks all at once. */
export function readPersonaAnswers(look: AnswerLookup, questions: PersonaQuestions): PersonaAnswers {
  const { expressions, contradictions } = questions;
  const checklists = expressions.map(({ checklist }) => checklist);
  return {
    ...(expressions.length > 0 && {
      expressions: look('express', 1, (text) => checkExpressions(text, checklists)),
    }),
    ...(contradictions.length > 0 && {
      contradictions: look('contradict', 1, (text) => checkContradictions(text, contradictions.length)),
    }),
    guesses: questions.guesses.map(({ checklist }, at): GuessResult => {
      const guess = look('guess', at + 1, checkGuess);
      if (guess.state !== 'given' || guess.value === '') return { guess };
      return { guess, match: look('match', at + 1, (text) => checkMatch(text, checklist)) };
    }),
  };
}
