import type { ModelRequest } from '../../model';
import type { Random } from '../../../rules/sampling/random';
import { findRequestedSides, findWishes } from '../feedback';
import { readLog } from '../log';
import { findSides, isContrary, statePreference } from '../preference';
import { enumerate, fill, findPoint, readChecklist, renderJsonBlock } from '../text';
import { REPLIES } from '../vocabulary';

const TEXTS = REPLIES.evaluation;

/** Which items of a checklist the user's remarks express (paper, E and figure 20). */
export function answerExpress({ values }: ModelRequest, random: Random): string {
  const { checklist = '', interaction_log: log = '' } = values;
  const remarks = readLog(log).flatMap((session) => session.remarks);
  const results = readChecklist(checklist).map((item, place) => {
    const quotations = remarks.filter((remark) => isAbout(remark, item));
    const isExpressed = quotations.length > 0;
    return {
      index: place + 1,
      explanation: random.pick(TEXTS[isExpressed ? 'Fully Covered' : 'Not Covered']),
      quotations,
      rating: isExpressed ? 'Fully' : 'Not at all',
    };
  });
  return renderJsonBlock({ results });
}

function isAbout(remark: string, item: string): boolean {
  const [side] = findSides(item);
  if (side === undefined) return remark.includes(findPoint(item));
  return findWishes(remark).some((wish) => wish.side === side);
}

/** What a request reveals of the expected response: rules that it states, and what it asks for in the words of a remark. */
export function answerGuess({ values }: ModelRequest, random: Random): string {
  const { curr_request: request = '' } = values;
  const sides = [...new Set([...findSides(request), ...findRequestedSides(request)])];
  const rules = sides.map((side) => random.pick(side.rules));
  return renderJsonBlock(
    rules.length === 0
      ? { explanation: random.pick(TEXTS['nothingRevealed']), expectation: null }
      : {
          explanation: fill(random.pick(TEXTS['revealed']), { rules: enumerate(rules) }),
          expectation: statePreference(random, rules),
        },
  );
}

/** Whether two preferences take different sides of one choice. */
export function answerContradict({ values }: ModelRequest, random: Random): string {
  const { first_preference: first = '', second_preference: second = '' } = values;
  const others = findSides(second);
  const [conflict] = findSides(first).flatMap((side) =>
    others.filter((other) => isContrary(side, other)).map((other) => [side, other] as const),
  );
  if (conflict === undefined) {
    return renderJsonBlock({ explanation: random.pick(TEXTS['Compatible']), verdict: 'Compatible' });
  }
  const [one = '', other = ''] = conflict.map(({ rules }) => rules[0]);
  return renderJsonBlock({
    explanation: fill(random.pick(TEXTS['Contradictory']), { first: one, second: other }),
    verdict: 'Contradictory',
  });
}
