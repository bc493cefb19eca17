import * as fc from 'fast-check';
import { countTokens, createTokenCounter } from '../../../../rules/statistics/tokens';

const piece = fc.oneof(
  fc.constantFrom('#', '### Session 12', '\n', '\r\n', ' ', '/', '---', "don't", '<|endoftext|>', 'é', '123'),
  fc.string({ unit: 'grapheme' }),
);
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

test('texts with parts in common have as many tokens as each by itself', () => {
  const count = createTokenCounter();
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (parts) => {
      const joined = parts.join('\n#');
      expect(count(joined)).toBe(countTokens(joined));
    }),
  );
});
