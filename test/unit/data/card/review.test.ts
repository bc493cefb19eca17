import { readCard } from '../../../../data/card/read';
import { renderCard, renderImportedCard } from '../../../../data/card/render';
import { withReview, type ReviewFacts } from '../../../../data/card/review';
import { withVerification, withVerificationTotals } from '../../../../data/card/verification';
import { buildVerificationResults } from '../../verification-results';
import { buildCardFacts } from './card-facts';

const facts = buildCardFacts();
const REVIEW: ReviewFacts = {
  people: 3,
  tasks: 1_008,
  accept: 'third',
  sample: null,
  alpha: 0.4671,
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
  const card = withReview(renderCard(facts), REVIEW);
  expect(card).toContain('# CUPID\n');
  expect(readCard(card).tags).toContain('human-verified');
  expect(card).toContain('3 people reviewed the instances with `cupid review`');
  expect(card).toContain('1,008 tasks, each annotated by two raters');
  expect(card).toContain('This data set has the 700 instances that were accepted.');
  expect(card).toContain('where the two raters differ, a third person decides');
  expect(card).toContain('alpha (ordinal) 0.467');
  expect(card).toContain(
    'from 1 to 7: requests 5.13 (SD 1.20) for realism and 4.50 for indirectness. The paper reports a realism of requests of 4.08 (SD 0.85) on a scale from 1 to 5.',
  );
  expect(card).toContain('Left out: 50 rejected instances and 6 that were not reviewed to the end.');
  expect(card).toContain('Instances with revised messages: 68.');
  expect(card).toContain(
    "Each rater's latest annotation of each task, with its revisions, is in `audit.parquet`, which the review wrote beside this data set and which is not part of it.",
  );
  expect(card).toContain('| Instances | 700 | 756 |');
});

test('the card of a sample says how many personas were drawn', () => {
  const sample = { personas: ['1+baker', '2+nurse'], all: 252 };
  expect(withReview(renderCard(facts), { ...REVIEW, sample })).toContain(
    'Reviewed: a sample of 2 of the 252 personas, drawn at random.',
  );
  expect(withReview(renderCard(facts), REVIEW)).not.toContain('a sample of');
});

test('instances that cannot be reviewed are counted by themselves', () => {
  expect(withReview(renderCard(facts), { ...REVIEW, open: 0, unreviewable: 4 })).toContain(
    'Left out: 50 rejected instances and 4 that cannot be reviewed.',
  );
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

test('an agreement that is not defined is not a number', () => {
  expect(withReview(renderCard(facts), { ...REVIEW, alpha: null })).toContain('alpha (ordinal) not defined');
});
