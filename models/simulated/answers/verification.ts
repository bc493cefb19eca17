import type { ModelRequest } from '../../model';
import type { Random } from '../../../rules/sampling/random';
import { findRequestedSides, findWishes } from '../feedback';
import { readLog } from '../log';
import { findSides, isContrary, statePreference } from '../preference';
import { enumerate, fill, findPoint, renderJsonBlock } from '../text';
import { REPLIES } from '../vocabulary';

const TEXTS = REPLIES.evaluation;

/** Lists for each preference which checklist items the user's remarks in its sessions express (paper, E and figure 20). */
export function answerExpress({ values }: ModelRequest, random: Random): string {
  const { checklists = '', interaction_log: log = '' } = values;
  const sessions = readLog(log);
  const items = checklists.split(/^### Sessions /m).flatMap((section) => {
    const [numbers = '', ...lines] = section.split('\n');
    const remarks = numbers
      .split(', ')
      .flatMap((number) => sessions[Number.parseInt(number, 10) - 1]?.remarks ?? []);
    return lines.flatMap((line) => {
      const [, index, item] = /^(\d+)\. (.*)$/.exec(line) ?? [];
      return index === undefined || item === undefined ? [] : { index: Number(index), item, remarks };
    });
  });
  const results = items.map(({ index, item, remarks }) => {
    const quotations = remarks.filter((remark) => isAbout(remark, item));
    const isExpressed = quotations.length > 0;
    return {
      index,
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

/** Returns what a request reveals of the expected response: rules that it states, and requests in the words of a remark. */
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

/** Returns whether the two preferences of each pair are on different sides of one choice. */
export function answerContradict({ values }: ModelRequest, random: Random): string {
  const [, ...pairs] = (values['pairs'] ?? '').split(/^### Pair \d+$/m);
  const results = pairs.map((pair, place) => {
    const [first = '', second = ''] = Array.from(
      pair.matchAll(/^#### (?:First|Second) preference\n\n([^]*?)\n\nIts checklist:$/gm),
      ([, preference = '']) => preference,
    );
    return { index: place + 1, ...comparePreferences(first, second, random) };
  });
  return renderJsonBlock({ results });
}

function comparePreferences(first: string, second: string, random: Random) {
  const secondSides = findSides(second);
  const [conflict] = findSides(first).flatMap((side) =>
    secondSides.filter((opposite) => isContrary(side, opposite)).map((opposite) => [side, opposite] as const),
  );
  if (conflict === undefined) {
    return { explanation: random.pick(TEXTS['Compatible']), verdict: 'Compatible' };
  }
  const [firstRule = '', secondRule = ''] = conflict.map(({ rules }) => rules[0]);
  return {
    explanation: fill(random.pick(TEXTS['Contradictory']), { first: firstRule, second: secondRule }),
    verdict: 'Contradictory',
  };
}
