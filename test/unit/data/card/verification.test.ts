import { readCard } from '../../../../data/card/read';
import { renderCard } from '../../../../data/card/render';
import { withVerification, withVerificationTotals } from '../../../../data/card/verification';
import { buildVerificationResults } from '../../verification-results';
import { buildCardFacts } from './card-facts';

const RESULTS = buildVerificationResults();

const facts = buildCardFacts();
const card = renderCard(facts);
const ACCEPTED = { statistics: { ...facts.statistics, instances: 4_321 }, figures: facts.figures };

test('the card says who verified the instances, and describes those that are left', () => {
  const verified = withVerification(card, RESULTS, ACCEPTED);
  expect(verified).toContain('# CUPID-Model-Verified\n');
  expect(verified).toContain(
    'A model, `openai:gpt-6.1-terra`, verified 6 instances of 2 of the 3 personas with `cupid verify`',
  );
  expect(verified).toContain('This data set has the 4 that it accepted; people have not checked them.');
  expect(verified).toContain('| solvable: the dialogues express the relevant preferences | 5 | 1 | 0 |');
  expect(verified).toContain('Agreement of the model with itself: 97.5 % of the verdicts on 1 persona');
  expect(verified).toContain('from the current request alone: 10.0 % (95 % interval: 2.0–40.0 %).');
  expect(verified).toContain('| Instances | 4,321 | 756 |');
  expect(readCard(verified).tags).toContain('model-verified');
  expect(readCard(verified).tags).not.toContain('simulated-verification');
  expect(verified).toContain('1K<n<10K');
  // Everything else stays, each section once and in its order.
  expect(listTitles(verified).filter((title) => title !== '## Verification')).toEqual(listTitles(card));
  expect(listTitles(verified)[0]).toBe('## Verification');
});

test('the card of all instances has the totals, and its other sections stay', () => {
  const totals = withVerificationTotals(card, RESULTS);
  expect(totals).toContain('It accepted 4; this data set has the others as well.');
  expect(totals.replace(/^## Verification\n[\s\S]*?\n(?=## How it was made\n)/m, '')).toBe(card);
});

test('a simulated verifier is named as such', () => {
  const verified = withVerification(card, { ...RESULTS, verifier: 'simulated:default' }, ACCEPTED);
  expect(readCard(verified).tags).toContain('simulated-verification');
  expect(verified).toContain('**Simulated verification: the verifier answers by rule.');
});

test('a card of another form keeps its text, with the verification after it', () => {
  const verified = withVerification('# My data\n\nSome words.\n', RESULTS, ACCEPTED);
  expect(verified).toMatch(/# My data\n\nSome words\.\n\n## Verification\n/);
});

function listTitles(text: string): string[] {
  return text.match(/^## .*$/gm) ?? [];
}
