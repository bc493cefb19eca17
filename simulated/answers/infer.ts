import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/sampling/random';
import { believed, type Belief } from '../belief';
import { happens } from '../chance';
import { stated } from '../preference';
import { factorIn } from '../reply';
import { ANALYSIS_OPENINGS, CONTEXT_LEADS, FINDINGS, NO_HISTORY_OPENINGS } from '../vocabulary/inferences';
import { capitalised, enumerated, fill, uncapitalised } from '../words';

/** Inferences that name the context they hold in, of a hundred. */
const CONTEXT_PERCENT = 40;

/** The preference that seems to hold for the request, after what was found in the log (paper, 2.2). */
export function answerInfer(request: ModelRequest, random: Random): string {
  const asked = request.values['curr_request'] ?? '';
  const belief = believed({ request: asked, log: request.values['interaction_log'] ?? '' }, random);
  const preference = stated(
    random,
    belief.expectations.map(({ words }) => words),
  );
  const lead = happens(random, CONTEXT_PERCENT)
    ? fill(random.pick(CONTEXT_LEADS), { factor: factorIn(asked) })
    : '';
  return [
    '### Analysis',
    analysis(belief, random),
    '### Most Likely Preference',
    capitalised(lead === '' ? preference : `${lead}${uncapitalised(preference)}`),
  ].join('\n\n');
}

function analysis({ sessions, from, expectations }: Belief, random: Random): string {
  const opening =
    sessions === 0
      ? random.pick(NO_HISTORY_OPENINGS)
      : fill(random.pick(ANALYSIS_OPENINGS), {
          count: String(sessions),
          sessions: enumerated(from.map((number) => `session ${number}`)),
        });
  const findings = expectations.map(({ words }) => fill(random.pick(FINDINGS), { rule: words }));
  return [opening, ...findings].join(' ');
}
