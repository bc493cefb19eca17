import { deriveCanary, findCanary, renderCanary } from '../../../../data/marks/canary';
import { buildMetadata, parseMetadata } from '../../../../data/marks/marks';

const GUID = '0f1e2d3c-4b5a-8697-8877-665544332211';

test('a canary is a UUID of version 8 that follows from the first record alone', () => {
  const canary = deriveCanary({ persona_id: '1+baker' });
  expect(canary).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(deriveCanary({ persona_id: '1+baker' })).toBe(canary);
  expect(deriveCanary({ persona_id: '1+pilot' })).not.toBe(canary);
});

test.each<[string, string, string | undefined]>([
  ['our line', `# Data\n\n${renderCanary(GUID)}\n\nMore.`, GUID],
  ["another benchmark's line", `NEVER IN TRAINING DATA. canary GUID ${GUID.toUpperCase()}`, GUID],
  ['a GUID without the words', `Run ${GUID}`, undefined],
  ['a text that is no GUID', 'canary GUID 0f1e2d3c', undefined],
])('%s has this canary', (_what, text, canary) => {
  expect(findCanary(text)).toBe(canary);
});

test.each([
  [{ simulated: true, canary: GUID }, 1],
  [{ simulated: undefined, canary: GUID }, 1],
  [{ simulated: true, canary: undefined }, 1],
  [{ simulated: undefined, canary: undefined }, 0],
])('metadata state %j under one key or none', (marks, keys) => {
  const metadata = buildMetadata(marks);
  expect(metadata.size).toBe(keys);
  expect(parseMetadata(metadata)).toEqual(marks);
});
