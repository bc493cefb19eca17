import type { ModelRequest } from '../../model';
import type { Random } from '../../../rules/sampling/random';
import { removeCorrections } from '../dialogue-plan';
import { findRequestedSides } from '../feedback';
import { composeReply } from '../reply';

/** A response to the opening request that carries out what the user has asked for since (paper, B.4). */
export function answerAssistant(request: ModelRequest, random: Random): string {
  const [opening = '', ...remarks] = removeCorrections(request.messages)
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content);
  const carriedOut = [...new Set(remarks.flatMap(findRequestedSides))].map((side) => ({
    words: side.shows,
    side,
  }));
  return composeReply({ request: opening, carriedOut, revised: remarks.length > 0 }, random);
}
