import { computeRelevantPosition, findEvidence, isRelevant } from '../../../../rules/instances/relevance';
import type { PriorInteraction } from '../../../../schemas/dataset/instance';
import { buildInstance, buildSession } from '../examples';

const instance = (...prior_interactions: PriorInteraction[]) => buildInstance({ prior_interactions });

const relevant = buildSession('The bakery', 'Short.');
const before = buildSession('The bakery', 'Long.');
const elsewhere = buildSession('The mill', 'Short.');

test('a session is relevant when both its factor and its preference are the current ones, but for a full stop and spaces (paper, 4.1)', () => {
  const current = instance();
  expect(isRelevant(relevant, current)).toBe(true);
  expect(isRelevant(before, current)).toBe(false);
  expect(isRelevant(elsewhere, current)).toBe(false);
  expect(isRelevant(buildSession('the bakery', 'Short.'), current)).toBe(false);
  expect(isRelevant(buildSession(' The bakery', 'Short'), current)).toBe(true);
});

test.each([
  [1, [relevant]],
  [3, [before, elsewhere, relevant]],
  [3, [before, relevant, elsewhere, relevant]],
  [10 / 3, [relevant, elsewhere, elsewhere, relevant, relevant]],
  [null, [before, elsewhere]],
  [null, []],
])('the mean position of the relevant sessions, counted from 1, is %s', (position, sessions) => {
  expect(computeRelevantPosition(instance(...sessions))).toBe(position);
});

test('the evidence of a row is in the sessions of its preference; old and contrastive sessions are apart', () => {
  const mill = buildSession('The mill', 'Funny.');
  const other = buildSession('The shop', 'Polite.');
  const consistent = {
    ...instance(before, other, before, other),
    instance_type: 'consistent',
    current_contextual_preference: 'Long.',
  } as const;
  const contrastive = {
    ...instance(mill, before, other, before, mill),
    instance_type: 'contrastive',
    current_contextual_preference: 'Long.',
  } as const;
  const changing = instance(before, relevant, before, other, buildSession(' The bakery', 'Short'));
  const rows = [consistent, contrastive, changing];
  expect(rows.map((row) => findEvidence(row, rows))).toEqual([
    { evidence: [1, 3], stale: [], contrastive: [] },
    { evidence: [2, 4], stale: [], contrastive: [1, 5] },
    { evidence: [2, 5], stale: [1, 3], contrastive: [] },
  ]);
  expect(findEvidence(contrastive, [contrastive])).toEqual(findEvidence(contrastive));
  expect(findEvidence(contrastive)).toEqual({ evidence: [2, 4], stale: [], contrastive: [] });
});
