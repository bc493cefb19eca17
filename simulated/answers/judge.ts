import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/sampling/random';
import { checklistEntries } from '../checklist-lines';
import { showing, type Showing } from '../coverage';
import { JUDGEMENTS } from '../vocabulary/inferences';

/** What an entry counts, by how far the response shows it. */
const CREDIT: Readonly<Record<Showing, number>> = { shown: 1, partly: 0.5, missing: 0 };

/** A judge seldom gives the best or the worst score: the span between a response that shows all and one that shows nothing. */
const LOWEST = 2;
const HIGHEST = 9;

/** How a response does by a preference's checklist, with a score from 1 to 10 (paper, 2.3). */
export function answerJudge(request: ModelRequest, random: Random): string {
  const { ai_response: response = '', preference = '', checklist = '' } = request.values;
  const entries = checklistEntries(checklist);
  const found = (entries.length > 0 ? entries : [preference]).map((entry) => ({
    entry,
    shown: showing(entry, response),
  }));
  const share = found.reduce((sum, { shown }) => sum + CREDIT[shown], 0) / found.length;
  const analysis = found.map(
    ({ entry, shown }, place) => `${place + 1}. **${entry}** ${random.pick(JUDGEMENTS[shown])}`,
  );
  return [
    "### Evaluation of AI Assistant's Response",
    analysis.join('\n'),
    '### Evaluation Label',
    share === 1 ? 'Satisfied' : share === 0 ? 'Not Satisfied' : 'Partially Satisfied',
    '### Evaluation Score',
    String(Math.round(LOWEST + (HIGHEST - LOWEST) * share) + random.pick(MOODS)),
  ].join('\n\n');
}

/** How far judges stray from the score that the shares alone would give. */
const MOODS: readonly number[] = [-1, 0, 0, 0, 1];
