import { createRunId, parseRunKind } from '../../../../runs/folder/run-id';

test('the id of a run says what it is', () => {
  expect(parseRunKind(createRunId('synthesis'))).toBe('synthesis');
  expect(parseRunKind(createRunId('evaluation'))).toBe('evaluation');
  expect(parseRunKind(createRunId('verification'))).toBe('evaluation');
});

test.each(['out', 'cupid-out', 'cupid-review-1a2b3c4d', 'cupid-1a2b3c4d/p1', 'cupid-1A2B3C4D'])(
  '%s is no id of a run',
  (text) => expect(parseRunKind(text)).toBeUndefined(),
);
