import { renderCard } from '../../../../data/card/render';
import { withVerification, withVerificationTotals } from '../../../../data/card/verification';
import { buildVerificationResults } from '../../verification-results';
import { expectGolden, renderChangedLines } from '../../../golden';
import { buildCardFacts } from './card-facts';

const RESULTS = buildVerificationResults();

const facts = buildCardFacts();
const card = renderCard(facts);
const ACCEPTED = { statistics: { ...facts.statistics, instances: 4_321 }, figures: facts.figures };

test('the card says who verified the instances, and describes those that are left', () => {
  const verified = withVerification(card, RESULTS, ACCEPTED);
  const simulated = withVerification(card, { ...RESULTS, verifier: 'simulated:default' }, ACCEPTED);
  expectGolden('card-verification.txt', [
    ['the accepted instances', renderChangedLines(card, verified)],
    ['by a simulated verifier', renderChangedLines(verified, simulated)],
    [
      'the totals, in the card of all instances',
      renderChangedLines(card, withVerificationTotals(card, RESULTS)),
    ],
  ]);
  // Everything else stays, each section once and in its order.
  expect(listTitles(verified).filter((title) => title !== '## Verification')).toEqual(listTitles(card));
  expect(listTitles(verified)[0]).toBe('## Verification');
});

test('the other sections of the card of all instances stay', () => {
  const totals = withVerificationTotals(card, RESULTS);
  expect(totals.replace(/^## Verification\n[\s\S]*?\n(?=## How it was made\n)/m, '')).toBe(card);
});

test('a card of another form keeps its text, with the verification after it', () => {
  const verified = withVerification('# My data\n\nSome words.\n', RESULTS, ACCEPTED);
  expect(verified).toMatch(/# My data\n\nSome words\.\n\n## Verification\n/);
});

function listTitles(text: string): string[] {
  return text.match(/^## .*$/gm) ?? [];
}
