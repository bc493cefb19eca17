import { isRelevant, computeRelevantPosition } from '../../../../rules/instances/relevance';
import type { Instance, PriorInteraction } from '../../../../schemas/dataset/instance';

const session = (factor: string, preference: string): PriorInteraction => ({
  context_factor: factor,
  contextual_preference: preference,
  dialogue: [],
});

const instance = (...sessions: PriorInteraction[]): Instance => ({
  persona_id: '1+baker',
  instance_type: 'changing',
  current_request: 'What now?',
  current_context_factor: 'The bakery',
  current_contextual_preference: 'Short.',
  current_checklist: ['Is it short?'],
  prior_interactions: sessions,
});

const relevant = session('The bakery', 'Short.');
const before = session('The bakery', 'Long.');
const elsewhere = session('The mill', 'Short.');

test('a session is relevant when both its factor and its preference are the current ones, but for a full stop and spaces (paper, 4.1)', () => {
  const current = instance();
  expect(isRelevant(relevant, current)).toBe(true);
  expect(isRelevant(before, current)).toBe(false);
  expect(isRelevant(elsewhere, current)).toBe(false);
  expect(isRelevant(session('the bakery', 'Short.'), current)).toBe(false);
  expect(isRelevant(session(' The bakery', 'Short'), current)).toBe(true);
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
