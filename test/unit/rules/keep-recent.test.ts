import { keepRecent } from '../../../rules/keep-recent';

test('a result is computed once for each recent text, and no more characters are kept than allowed', () => {
  const computed: string[] = [];
  const getLength = keepRecent((text) => {
    computed.push(text);
    return text.length;
  }, 3);
  const texts = ['a', 'bb', 'a', 'bb', 'ccc', 'ccc', 'a'];
  expect(texts.map(getLength)).toEqual(texts.map(({ length }) => length));
  expect(computed).toEqual(['a', 'bb', 'ccc', 'a']);
});
