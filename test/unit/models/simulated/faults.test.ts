import { checkJudgement } from '../../../../rules/answers/evaluation/judgement';
import { checkChecklist } from '../../../../rules/answers/synthesis/checklist';
import { BOATHOUSE, listEvaluationCases, listSynthesisCases, type StepCase } from './cases';
import { matchChecklist } from './evaluation';
import { ask, askFor, openSimulated, requestOf } from './persona';

/** Steps with answers of any form, which can only be empty. */
const ANY_TEXT: ReadonlySet<string> = new Set(['assistant', 'respond']);

let cases: StepCase[];

beforeAll(async () => {
  cases = [...(await listSynthesisCases()), ...listEvaluationCases()];
});

test('malformed=1 spoils every answer of every step in several ways, so that it is sent back or in doubt', async () => {
  const bad = openSimulated({ malformed: '1' });
  for (const { request, check } of cases) {
    const reasons = new Set<string>();
    for (let number = 0; number < 60; number += 1) {
      const checked = check((await ask(bad, { ...request, attempt: number })).text);
      reasons.add((checked.ok ? (checked.doubt ?? 'good') : checked.reason).slice(0, 30));
    }
    expect([request.step, reasons.has('good')]).toEqual([request.step, false]);
    expect(reasons.size).toBeGreaterThanOrEqual(ANY_TEXT.has(request.step) ? 1 : 3);
  }
});

const REQUEST = requestOf('assistant', {}, [{ role: 'user', content: 'Help me with the set list.' }]);

test.each(['malformed', 'refused', 'empty'])(
  '%s=0.2 spoils a fifth of the answers, always the same ones',
  async (fault) => {
    const findSpoilt = async () => {
      const [one, right] = [openSimulated({ [fault]: '0.2' }), openSimulated()];
      const found: number[] = [];
      for (let number = 0; number < 1000; number += 1) {
        const request = { ...REQUEST, attempt: number };
        if ((await ask(one, request)).text !== (await ask(right, request)).text) found.push(number);
      }
      return found;
    };
    const found = await findSpoilt();
    expect(found.length).toBeGreaterThan(150);
    expect(found.length).toBeLessThan(250);
    expect(await findSpoilt()).toEqual(found);
  },
);

test.each([
  [{}, { finish: 'length', usage: { output: 10 } }],
  [{ refused: '1' }, { finish: 'refused' }],
  [{ empty: '1' }, { finish: 'complete', text: '' }],
])('a model with %j says how its answer ended', async (options, expected) => {
  expect(await ask(openSimulated(options), { ...REQUEST, maxTokens: 10 })).toMatchObject(expected);
});

test('fail=TEXT spoils every answer to what holds the text, in any case, and no other', async () => {
  const one = openSimulated({ fail: 'chess "Club"' });
  for (let number = 0; number < 30; number += 1) {
    for (const [subject, isGood] of [['CHESS "club"', false] as const, ['choir', true] as const]) {
      const request = requestOf('checklist', { preferences: `Answers must mention the ${subject}.` });
      expect(checkChecklist((await ask(one, { ...request, attempt: number })).text).ok).toBe(isGood);
    }
  }
});

test('context=N refuses a longer prompt for good, and says by how much; one that fits is answered as without it', async () => {
  const request = requestOf('infer', { curr_request: 'x'.repeat(400), interaction_log: '' });
  const right = await ask(openSimulated(), request);
  const size = right.usage.input ?? 0;
  expect(await ask(openSimulated({ context: String(size) }), request)).toEqual(right);
  await expect(ask(openSimulated({ context: String(size - 1) }), request)).rejects.toMatchObject({
    kind: 'context-length',
    isRetryable: false,
    message: expect.stringContaining(
      `${size} tokens, more than the context of the simulated model (context=${size - 1})`,
    ),
  });
});

test('an answer with latency ends at once when it is given up, and is not begun when that was before', async () => {
  const controller = new AbortController();
  const asked = openSimulated({ latency: '600s' }).ask(REQUEST, controller.signal);
  controller.abort(new Error('given up'));
  await expect(asked).rejects.toThrow('given up');
  await expect(openSimulated().ask(REQUEST, controller.signal)).rejects.toThrow('given up');
});

describe('an evaluator', () => {
  test.each([
    ['lenient', 'Anything.', 'Fully Covered', 8],
    ['harsh', BOATHOUSE.preference, 'Not Covered', 1],
  ])('that is %s matches and judges everything alike', async (judge, preference, label, least) => {
    const one = openSimulated({ judge });
    const { checklist } = BOATHOUSE;
    expect(await matchChecklist(one, preference, checklist)).toEqual(checklist.map(() => label));
    const [{ request } = { request: REQUEST }] = cases.filter(({ request: { step } }) => step === 'judge');
    const { score } = await askFor(one, request, checkJudgement);
    expect(score).toBeGreaterThanOrEqual(least);
    expect(score).toBeLessThanOrEqual(least + 2);
  });

  test('matches the same wish in other words in full, a close one in part, its opposite or another not at all', async () => {
    const preference =
      'Answers must use full titles for everyone mentioned and skip greetings and introductions.';
    const expected = {
      'Does the answer address people by title and last name?': 'Fully Covered',
      'Does the answer keep everyone on first-name terms?': 'Not Covered',
      'Does the answer avoid contractions and slang?': 'Partially Covered',
      'Does the answer include a backup plan?': 'Not Covered',
    };
    const labels = await matchChecklist(openSimulated(), preference, Object.keys(expected));
    expect(labels).toEqual(Object.values(expected));
  });
});
