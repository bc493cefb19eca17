import { listPersonaQuestions } from '../../../../rules/method/verification-questions';
import { computeVerdicts, isAccepted, type PersonaAnswers } from '../../../../rules/verification/verdicts';
import type { CallResult } from '../../../../rules/method/evaluation-reader';
import type { MatchLabel } from '../../../../schemas/matching/match-label';
import { buildPersona } from './persona';

const QUESTIONS = listPersonaQuestions(buildPersona().map((instance) => ({ instance })));

const MISSING: CallResult<never> = {
  state: 'missing',
  missing: { step: 'express', turn: '1', kind: 'refused', cause: 'It would not.' },
};

const ORIGINAL = express(['read that far']);
const CONTRAST = express(['some of the details']);
const CHANGED = express(['wants to know more'], ['wants to know more']);

/** Answers without a problem: everything is expressed, nothing revealed, everything contradicts. */
const CLEAN: PersonaAnswers = {
  expressions: given([ORIGINAL, CONTRAST, CHANGED]),
  guesses: [{ guess: given('') }],
  contradictions: given([
    { verdict: 'Contradictory', explanation: 'Short or long.' },
    { verdict: 'Contradictory', explanation: 'Long or short.' },
  ]),
};

test('instances are accepted where nothing speaks against them; a consistent one has nothing to contradict', () => {
  expect(listVerdicts(CLEAN)).toEqual([
    ['yes', 'yes', null, true],
    ['yes', 'yes', 'yes', true],
    ['yes', 'yes', 'yes', true],
  ]);
});

test('one item that no message expresses makes every instance unsolvable that needs its preference', () => {
  const partly = [{ rating: 'Partly' as const, quotations: ['some of the details'], explanation: '' }];
  const found = { ...CLEAN, expressions: given([ORIGINAL, partly, CHANGED]) };
  expect(listVerdicts(found).map(([solvable]) => solvable)).toEqual(['yes', 'no', 'yes']);
  const none = [{ rating: 'Not at all' as const, quotations: [], explanation: '' }];
  const lacking = { ...CLEAN, expressions: given([none, CONTRAST, CHANGED]) };
  expect(listVerdicts(lacking).map(([solvable]) => solvable)).toEqual(['no', 'no', 'no']);
});

test('a rating without a quotation of a user’s message does not count', () => {
  const invented = express(['An answer that nobody reads']);
  const answers = { ...CLEAN, expressions: given([invented, CONTRAST, CHANGED]) };
  const [use] = QUESTIONS.uses;
  if (use === undefined) throw new Error('There is no instance.');
  expect(computeVerdicts(QUESTIONS, use, answers)).toMatchObject({
    solvable: 'no',
    evidence: {
      items: [{ rating: 'Not at all', quotations: [], rejected_quotations: ['An answer that nobody reads'] }],
    },
  });
});

test('a request reveals the preference of which it fully covers an item, of no other', () => {
  expect(listVerdicts(guess(['Not Covered', 'Fully Covered', 'Not Covered'])).map((one) => one[1])).toEqual([
    'yes',
    'yes',
    'no',
  ]);
  expect(listVerdicts(guess(['Partially Covered', 'Not Covered', 'Not Covered']))[0]?.[1]).toBe('yes');
});

test('a pair that one response satisfies is not contrasting', () => {
  const compatible = { verdict: 'Compatible' as const, explanation: 'Both at once.' };
  const contrary = { verdict: 'Contradictory' as const, explanation: 'Long or short.' };
  const answers = { ...CLEAN, contradictions: given([compatible, contrary]) };
  expect(listVerdicts(answers).map((one) => one[2])).toEqual([null, 'no', 'yes']);
});

test('what has no usable answer is unknown, never yes, and a no elsewhere stands', () => {
  const unanswered: PersonaAnswers = {
    expressions: MISSING,
    guesses: [{ guess: given('Answers must be short.'), match: MISSING }],
    contradictions: MISSING,
  };
  expect(listVerdicts(unanswered)).toEqual([
    ['unknown', 'unknown', null, false],
    ['unknown', 'unknown', 'unknown', false],
    ['unknown', 'unknown', 'unknown', false],
  ]);
  const revealed = { ...unanswered, guesses: guess(['Fully Covered', 'Not Covered', 'Not Covered']).guesses };
  expect(listVerdicts(revealed).map(([solvable, challenging]) => [solvable, challenging])).toEqual([
    ['unknown', 'no'],
    ['unknown', 'no'],
    ['unknown', 'yes'],
  ]);
});

function listVerdicts(answers: PersonaAnswers) {
  return QUESTIONS.uses.map((use) => {
    const found = computeVerdicts(QUESTIONS, use, answers);
    return [found.solvable, found.challenging, found.contrasting, isAccepted(found)];
  });
}

function guess(labels: MatchLabel[]): PersonaAnswers {
  return { ...CLEAN, guesses: [{ guess: given('Answers must be so.'), match: given(labels) }] };
}

function express(...quotations: string[][]) {
  return quotations.map((own) => ({
    rating: 'Fully' as const,
    quotations: own,
    explanation: 'They say so.',
  }));
}

function given<T>(value: T): CallResult<T> {
  return { state: 'given', value, ref: '0.0', model: 'm' };
}
