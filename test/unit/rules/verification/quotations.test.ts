import { isQuotation } from '../../../../rules/verification/quotations';

const MESSAGES = [
  { role: 'user', content: 'I like it. But “nobody” reads\nthat far, so cut it down.' },
  { role: 'assistant', content: 'Shorter, as you wish, and on one page.' },
  { role: 'user', content: 'Great work!' },
] as const;

test.each([
  ['word for word', 'nobody reads that far'],
  ['but for case, punctuation and line breaks', '"But nobody reads that far."'],
  ['with an ellipsis', 'I like it … cut it down'],
  ['a whole message, however short', 'great work'],
])('a passage of a user message counts: %s', (_, quotation) => {
  expect(isQuotation(quotation, MESSAGES)).toBe(true);
});

test.each([
  ['what the assistant says', 'Shorter, as you wish'],
  ['a paraphrase', 'nobody will read so far'],
  ['parts of two messages', 'cut it down … great work'],
  ['a word or two', 'so cut'],
  ['nothing', ' … '],
])('other passages do not: %s', (_, quotation) => {
  expect(isQuotation(quotation, MESSAGES)).toBe(false);
});
