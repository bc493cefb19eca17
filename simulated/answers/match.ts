import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/sampling/random';
import { MATCH_LABELS, type MatchLabel } from '../../schemas/evaluation';
import { happens } from '../chance';
import { checklistEntries } from '../checklist-lines';
import { coverage } from '../coverage';
import { MATCH_REASONS } from '../vocabulary/inferences';

/** Labels that are one step off, of a hundred. */
const SLIP_PERCENT = 5;

/** How far a preference covers each entry of a checklist (paper, 2.3), in PrefMatcher's form when shown no examples. */
export function answerMatch(request: ModelRequest, random: Random): string {
  const { preference = '', checklist = '' } = request.values;
  const matched = checklistEntries(checklist).map((entry, place) => ({
    index: place + 1,
    entry,
    label: labelled(coverage(entry, preference), random),
  }));
  if (!('examples' in request.values)) return JSON.stringify(matched);
  const results = matched.map(({ index, entry, label }) => ({
    index,
    entry,
    reasoning: random.pick(MATCH_REASONS[label]),
    label,
  }));
  return `\`\`\`json\n${JSON.stringify({ results }, null, 2)}\n\`\`\``;
}

/** The label, seldom the one beside it. */
function labelled(label: MatchLabel, random: Random): MatchLabel {
  if (!happens(random, SLIP_PERCENT)) return label;
  const place = MATCH_LABELS.indexOf(label);
  return random.pick(MATCH_LABELS.filter((_, other) => Math.abs(other - place) === 1));
}
