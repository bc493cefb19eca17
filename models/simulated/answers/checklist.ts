import type { ModelRequest } from '../../model';
import { isSameText } from '../../../rules/texts/spelling';
import { readExpectations } from '../preference';
import { renderJsonBlock } from '../text';

/** Maximum number of questions in a checklist (paper, 2.3). */
const MOST = 4;

/** Decomposes a preference into questions, one for each expectation. */
export function answerChecklist(request: ModelRequest): string {
  const questions = readExpectations((request.values['preferences'] ?? '').trim()).map(({ words, side }) =>
    side === undefined ? `Is it true of the answer: ${words}?` : `Does the answer ${words}?`,
  );
  const different = questions.filter(
    (question, place) => questions.findIndex((candidate) => isSameText(candidate, question)) === place,
  );
  const checklist = different.length > 0 ? different.slice(0, MOST) : ['Does the answer suit the request?'];
  return `The preference can be checked with the following questions.\n\n${renderJsonBlock({ checklist })}`;
}
