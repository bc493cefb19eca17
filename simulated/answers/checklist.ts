import type { ModelRequest } from '../../models/model';
import { clausesIn } from '../preference';
import { uncapitalised } from '../words';

/** Most questions of a checklist (paper, 2.3). */
const MOST = 4;

/** A preference taken apart into questions, one for each thing it asks for. */
export function answerChecklist(request: ModelRequest): string {
  const preference = (request.values['preferences'] ?? '').trim();
  const known = clausesIn(preference).map(({ rule }) => `Does the answer ${rule}?`);
  const checklist = [...new Set(known.length > 0 ? known : questionsOn(preference))].slice(0, MOST);
  const count = checklist.length === 1 ? 'one thing that can' : `${checklist.length} things that can each`;
  return `The preference asks for ${count} be checked.\n\n\`\`\`json\n${JSON.stringify({ checklist }, null, 2)}\n\`\`\``;
}

/** Another model's preference: split where its verbs are joined. */
function questionsOn(preference: string): string[] {
  const rule = /\b(?:must|should|has to|have to|needs? to)\b(.*)$/is.exec(preference)?.[1] ?? preference;
  const parts = rule
    .split(/,\s*(?:and\s+)?|;\s*|\s+(?:and|while|but)\s+/)
    .map((part) => part.trim().replace(/[.\s]+$/, ''))
    .filter((part) => part !== '');
  return parts.map((part) => `Is it true of the answer: ${uncapitalised(part)}?`);
}
