import type { ModelRequest } from '../../models/model';
import { sameWords } from '../../rules/answers/form/checks';
import { expectationsIn } from '../expectation';

/** Most questions of a checklist (paper, 2.3). */
const MOST = 4;

/** A preference taken apart into questions, one for each thing it asks for. */
export function answerChecklist(request: ModelRequest): string {
  const preference = (request.values['preferences'] ?? '').trim();
  const checklist = questionsOn(preference);
  const count = checklist.length === 1 ? 'one thing that can' : `${checklist.length} things that can each`;
  return `The preference asks for ${count} be checked.\n\n\`\`\`json\n${JSON.stringify({ checklist }, null, 2)}\n\`\`\``;
}

function questionsOn(preference: string): string[] {
  const questions = expectationsIn(preference).map(({ words, clause }) =>
    clause === undefined ? `Is it true of the answer: ${words}?` : `Does the answer ${words}?`,
  );
  const different = questions.filter(
    (question, place) => questions.findIndex((other) => sameWords(other, question)) === place,
  );
  return different.length > 0 ? different.slice(0, MOST) : ['Does the answer suit the request?'];
}
