import { haveGone } from '../../../engine/versions-at-work';

test('a version has gone only if all workers are known and none has it', () => {
  const versions = new Set(['1.0.0']);
  expect(haveGone('0.9.0', { versions, isComplete: true })).toBe(true);
  expect(haveGone('1.0.0', { versions, isComplete: true })).toBe(false);
  expect(haveGone('0.9.0', { versions, isComplete: false })).toBe(false);
  expect(haveGone('0.9.0', undefined)).toBe(false);
});
