import { computeCompressionRatio } from '../../../../data/sets/compression';
import { createRandom } from '../../../../rules/sampling/random';
import { MessageSample } from '../../../../rules/statistics/variety';
import { hashText } from '../../../../rules/texts/text-hash';

/** Builds messages of 12 words from a vocabulary. */
function buildMessages(count: number, words: number): string[] {
  const random = createRandom(1, 'messages', words);
  const vocabulary = Array.from({ length: words }, (_, at) => `word${at}`);
  return Array.from({ length: count }, () =>
    Array.from({ length: 12 }, () => random.pick(vocabulary)).join(' '),
  );
}

function measure(messages: readonly string[]) {
  const sample = new MessageSample();
  for (const [at, message] of messages.entries()) sample.add(message, hashText(`${message} ${at}`));
  return sample.end(computeCompressionRatio);
}

test('a small vocabulary has fewer different pairs of words, and is compressed further', () => {
  const [rich, poor] = [measure(buildMessages(1000, 500)), measure(buildMessages(1000, 20))];
  expect(rich?.distinct2).toMatchObject({ blocks: 5 });
  expect(rich?.distinct2.mean).toBeGreaterThan(0.9);
  expect(poor?.distinct2.mean).toBeLessThan(0.2);
  expect(poor?.compressionRatio.mean).toBeGreaterThan(rich?.compressionRatio.mean ?? Infinity);
});

test('a large data set is as varied as a part of it, and the interval holds the mean', () => {
  const messages = buildMessages(8000, 300);
  const [all, part] = [measure(messages), measure(messages.slice(0, 400))];
  expect(all?.distinct2.blocks).toBe(10);
  expect(part?.distinct2.blocks).toBe(2);
  expect(Math.abs((all?.distinct2.mean ?? 0) - (part?.distinct2.mean ?? 1))).toBeLessThan(0.02);
  expect(all?.distinct2.interval?.low).toBeLessThan(all?.distinct2.mean ?? 0);
  expect(all?.distinct2.interval?.high).toBeGreaterThan(all?.distinct2.mean ?? 1);
});

test('the sample does not depend on the order, and a message that everybody sends is in it as often as it is sent', () => {
  const messages = buildMessages(5000, 300).map((message, at) =>
    at % 2 === 0 ? 'Thank you very much.' : message,
  );
  const places = messages.map((text, at) => ({ text, hash: hashText(`${at}`) }));
  const measurePlaces = (those: typeof places) => {
    const sample = new MessageSample();
    for (const { text, hash } of those) sample.add(text, hash);
    return sample.end(computeCompressionRatio);
  };
  expect(measurePlaces(places.toReversed())).toEqual(measurePlaces(places));
  expect(measurePlaces(places)?.distinct2.mean).toBeGreaterThan(0.6);
  expect(measurePlaces(places)?.distinct2.mean).toBeLessThan(0.9);
});

test('with fewer messages than a block there is nothing to compare', () => {
  expect(measure(buildMessages(199, 300))).toBeUndefined();
  expect(measure(buildMessages(200, 300))?.distinct2.interval).toBeUndefined();
});
