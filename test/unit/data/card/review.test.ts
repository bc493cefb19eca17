import { readCard } from '../../../../data/card/read';
import { renderCard, renderImportedCard } from '../../../../data/card/render';
import { withReview, type ReviewFacts } from '../../../../data/card/review';
import { withVerification, withVerificationTotals } from '../../../../data/card/verification';
import { buildVerificationResults } from '../../verification-results';
import { expectGolden, renderChangedLines } from '../../../golden';
import { buildCardFacts } from './card-facts';

const facts = buildCardFacts();
const REVIEW: ReviewFacts = {
  people: 3,
  tasks: 1_008,
  accept: 'third',
  sample: null,
  alpha: 0.4671,
  isQuoted: false,
  ratings: {
    request: {
      realism: { mean: 5.126, deviation: 1.2 },
      implicitness: { mean: 4.5, deviation: null },
    },
  },
  accepted: 700,
  rejected: 50,
  open: 6,
  unreviewable: 0,
  revised: 68,
  sha256: 'ab12',
  statistics: { ...facts.statistics, instances: 700 },
  figures: facts.figures,
};

const ACCEPTED = { statistics: facts.statistics, figures: facts.figures };
const SIMULATED = { ...buildVerificationResults(), verifier: 'simulated:default' };

test('the card of reviewed data says who accepted what, by which rule, and how far the raters agreed', () => {
  const card = renderCard(facts);
  const reviewed = withReview(card, REVIEW);
  const describe = (changes: Partial<ReviewFacts>) =>
    renderChangedLines(reviewed, withReview(card, { ...REVIEW, ...changes }));
  expectGolden('card-review.txt', [
    ['a review', renderChangedLines(card, reviewed)],
    ['of a sample', describe({ sample: { personas: ['1+baker', '2+nurse'], all: 252 } })],
    ['with instances that cannot be reviewed', describe({ open: 0, unreviewable: 4 })],
    ['without an agreement', describe({ alpha: null })],
    ['with quotations of a model', describe({ isQuoted: true })],
  ]);
  expect(readCard(reviewed).tags).toContain('human-verified');
});

test.each([
  ['of verified data', withVerification(renderCard(facts), SIMULATED, ACCEPTED)],
  ['with the totals of a verification', withVerificationTotals(renderCard(facts), SIMULATED)],
  ['of data from elsewhere', renderImportedCard(facts)],
  ['of another form', withVerificationTotals('# My data\n\nSome words.\n', SIMULATED)],
])('the review takes the place of what a card %s says of verification', (_, card) => {
  const reviewed = withReview(card, REVIEW);
  expect(reviewed.match(/^## Verification$/gm)).toHaveLength(1);
  expect(reviewed).toContain('3 people reviewed the instances');
  expect(reviewed).not.toMatch(
    /not checked|have checked|have not verified|have verified|has the others|A model,/,
  );
  expect(reviewed).not.toContain('Model-Verified');
  const { tags } = readCard(reviewed);
  expect(tags.filter((tag) => tag.includes('verifi'))).toEqual(['human-verified']);
});

test('a model that verifies reviewed data does not take the review out of the card', () => {
  const reviewed = withReview(renderCard(facts), REVIEW);
  for (const card of [
    withVerification(reviewed, SIMULATED, ACCEPTED),
    withVerificationTotals(reviewed, SIMULATED),
  ]) {
    expect(card.match(/^## Verification$/gm)).toHaveLength(1);
    expect(card).toContain('3 people reviewed the instances');
    expect(card).toContain('A model, `simulated:default`, verified 6 instances');
    expect(card).not.toContain('people have not checked them');
    expect(readCard(card).tags).toContain('human-verified');
  }
});
