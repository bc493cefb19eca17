import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/sampling/random';
import { believed } from '../belief';
import { happens } from '../chance';
import { expectationsIn, type Expectation } from '../expectation';
import { poleOf } from '../preference';
import { bodyLines, kept, placeOf, spoken, type Line, type Place } from '../reply';
import { CLOSING_LINES, FIRST_LINES, HEEDING_LINES } from '../vocabulary/replies';
import { fill } from '../words';

/** What is known of the user's wishes and gets into the response, in percent. */
const CARRIED_OUT_PERCENT = 88;

/** A response to the request that keeps to the preference it was given, or to the one it believes in (paper, 2.2). */
export function answerRespond(request: ModelRequest, random: Random): string {
  const { curr_request: asked = '', preference, interaction_log: log = '' } = request.values;
  const expectations =
    preference === undefined
      ? believed({ request: asked, log }, random).expectations
      : expectationsIn(preference);
  const carried = expectations.filter(() => happens(random, CARRIED_OUT_PERCENT));
  return spoken(composed(carried, asked, random), asked);
}

function composed(carried: readonly Expectation[], asked: string, random: Random): Line[] {
  const shown = (place: Place) =>
    carried.filter((one) => placeIn(one) === place).map((one) => kept(shownIn(one, random)));
  const start = shown('start');
  const end = shown('end');
  const body = new Set(random.sample(bodyLines(asked), 3));
  return [
    ...(start.length > 0 ? start : [kept(random.pick(FIRST_LINES))]),
    ...shown('middle'),
    ...[...body].map(kept),
    ...(end.length > 0 ? end : [kept(random.pick(CLOSING_LINES))]),
  ];
}

function placeIn({ clause }: Expectation): Place {
  return clause === undefined ? 'middle' : placeOf(clause);
}

function shownIn({ words, clause }: Expectation, random: Random): string {
  return clause === undefined
    ? fill(random.pick(HEEDING_LINES), { words })
    : random.pick(poleOf(clause).shows);
}
