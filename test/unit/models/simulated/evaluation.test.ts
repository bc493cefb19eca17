import { assert, asyncProperty, string } from 'fast-check';
import { renderInteractionLog, renderJudgeChecklist } from '../../../../data/prompts/evaluation-values';
import { renderChecklist } from '../../../../data/prompts/values';
import { checkErrorType } from '../../../../rules/answers/evaluation/error-type';
import { checkInference } from '../../../../rules/answers/evaluation/inference';
import { checkJudgement } from '../../../../rules/answers/evaluation/judgement';
import { checkMatch } from '../../../../rules/answers/evaluation/match';
import { checkText } from '../../../../rules/answers/form/checks';
import { checkSummary } from '../../../../rules/answers/evaluation/summary';
import { MATCH_LABELS } from '../../../../schemas/evaluation/evaluation';
import {
  CONTEXTS,
  HISTORY_FORMS,
  type Context,
  type HistoryForm,
} from '../../../../schemas/evaluation/context';
import type { Instance } from '../../../../schemas/dataset/instance';
import { findSides } from '../../../../models/simulated/preference';
import {
  buildRequest,
  classifyError,
  inferText,
  inferPreference,
  synthesizeInstances,
  judgeResponse,
  judgeValues,
  buildLog,
  matchChecklist,
  askText,
} from './evaluation';
import { requireAccepted, ask, openSimulated } from './persona';

const PERSONAS = 12;

const one = openSimulated();
let instances: Instance[];

beforeAll(async () => {
  instances = await synthesizeInstances(one, PERSONAS);
});

describe('the settings order as they do for real models', () => {
  test('inference: oracle above full above none, and none of them at an end', async () => {
    const f1 = new Map<Context, number>();
    for (const context of CONTEXTS) f1.set(context, await microF1(context));
    expect(inOrder(f1, ['none', 'full', 'oracle'])).toBe(true);
    for (const value of f1.values()) {
      expect(value).toBeGreaterThan(0);
      expect(value).toBeLessThan(1);
    }
    expect(f1.get('full')).toBeGreaterThan(0.3);
    expect(f1.get('full')).toBeLessThan(0.6);
  });

  test('generation: the preference above oracle above full above none, and none of them at an end', async () => {
    const scores = new Map<HistoryForm, number>();
    for (const given of HISTORY_FORMS) scores.set(given, await meanScore(given));
    expect(inOrder(scores, ['none', 'full', 'oracle', 'preference'])).toBe(true);
    for (const value of scores.values()) {
      expect(value).toBeGreaterThan(1.5);
      expect(value).toBeLessThan(9.5);
    }
  });
});

describe('an inference', () => {
  test('follows a changed preference rather than the one before it', async () => {
    let current = 0;
    let outdated = 0;
    for (const instance of instances.filter(({ instance_type: type }) => type === 'changing')) {
      const related = instance.prior_interactions.filter(
        (session) => session.context_factor === instance.current_context_factor,
      );
      const found = findSides(await inferText(one, instance, renderInteractionLog(related)));
      const shared = (preference: string) =>
        findSides(preference).filter((side) => found.includes(side)).length;
      current += shared(instance.current_contextual_preference);
      outdated += shared(related[0]?.contextual_preference ?? '');
    }
    expect(current).toBeGreaterThan(1.4 * outdated);
  });
});

describe('a summary', () => {
  test('has an entry for each session and keeps some of what was asked for', async () => {
    const [instance] = instances;
    const sessions = instance?.prior_interactions ?? [];
    const text = await askText(one, 'summarize', { interaction_log: renderInteractionLog(sessions) });
    const summaries = requireAccepted(checkSummary(text, sessions.length));
    expect(summaries.flatMap(({ preferences }) => preferences.flatMap(findSides)).length).toBeGreaterThan(
      sessions.length,
    );
    for (const [place, { context }] of summaries.entries()) {
      expect(context.join(' ')).toContain(sessions[place]?.context_factor.replace(/^the /i, ''));
    }
  });
});

describe('a match', () => {
  const preference =
    'Answers must use full titles for everyone mentioned and skip greetings and introductions.';
  const checklist = [
    'Does the answer address people by title and last name?',
    'Does the answer keep everyone on first-name terms?',
    'Does the answer avoid contractions and slang?',
    'Does the answer include a backup plan?',
  ];

  test('is full for the same wish in other words, partial for a close one, none for its opposite or another', async () => {
    const counts = checklist.map(() => new Map<string, number>());
    for (let number = 0; number < 40; number += 1) {
      const values = { preference, checklist: renderChecklist(checklist), examples: '' };
      const { text } = await ask(one, { ...buildRequest('match', values), ask: number });
      for (const [place, label] of requireAccepted(checkMatch(text, checklist)).entries()) {
        counts[place]?.set(label, (counts[place].get(label) ?? 0) + 1);
      }
    }
    const usual = counts.map((labels) => [...labels].toSorted(([, a], [, b]) => b - a)[0]?.[0]);
    expect(usual).toEqual(['Fully Covered', 'Not Covered', 'Partially Covered', 'Not Covered']);
    // A matcher without errors would leave nothing to compare matchers by.
    expect(counts.some((labels) => labels.size > 1)).toBe(true);
  });

  test('goes by common words where the words are those of other models', async () => {
    const labels = await matchChecklist(
      one,
      'The user prefers itemized budgets in tabular form, with every figure sourced.',
      [
        'Does the response present an itemized budget in tabular form?',
        'Is the tone of the letter warm and encouraging for volunteers?',
      ],
    );
    expect(labels).toEqual(['Fully Covered', 'Not Covered']);
  });

  test("comes in PrefMatcher's form, a bare list, when it is asked without examples", async () => {
    const text = await askText(one, 'match', { preference, checklist: renderChecklist(checklist) });
    expect(JSON.parse(text)).toEqual(
      checklist.map((entry, place) => ({ index: place + 1, entry, label: expect.any(String) })),
    );
    expect(requireAccepted(checkMatch(text, checklist))).toHaveLength(4);
  });
});

describe('a judge', () => {
  test('gives a response that shows the whole checklist far more than one that shows none of it', async () => {
    for (const instance of instances) {
      const all = findSides(instance.current_contextual_preference).map(({ shows }) =>
        shows.replaceAll('{topic}', 'the plan'),
      );
      expect(await scoreOf(instance, all.join(' '))).toBeGreaterThanOrEqual(8);
      expect(await scoreOf(instance, 'I would rather not say anything.')).toBeLessThanOrEqual(3);
    }
  });
});

test('a lenient one accepts everything that it matches and judges, a harsh one nothing', async () => {
  const [instance] = instances;
  if (instance === undefined) throw new Error('no instance');
  const { current_contextual_preference: preference, current_checklist: checklist } = instance;
  const lenient = openSimulated({ judge: 'lenient' });
  const harsh = openSimulated({ judge: 'harsh' });
  expect(new Set(await matchChecklist(lenient, 'Anything.', checklist))).toEqual(new Set(['Fully Covered']));
  expect(new Set(await matchChecklist(harsh, preference, checklist))).toEqual(new Set(['Not Covered']));
  expect(await judgeResponse(lenient, instance, 'none')).toBeGreaterThanOrEqual(8);
  expect(await judgeResponse(harsh, instance, 'preference')).toBeLessThanOrEqual(3);
});

describe('an error is classified', () => {
  test('by what the inferred preference is made of', async () => {
    const [instance] = instances.filter(({ instance_type: type }) => type === 'consistent');
    if (instance === undefined) throw new Error('no instance');
    const other = instance.prior_interactions.find(
      (session) => session.context_factor !== instance.current_context_factor,
    );
    expect(await classifyError(one, instance, other?.contextual_preference ?? '')).toBe('Incorrect Context');
    expect(
      await classifyError(one, instance, `Answers must deal with this: ${instance.current_request}`),
    ).toBe('Shallow Inference');
    expect(await classifyError(one, instance, 'Answers should be helpful.')).toBe('Vagueness');
    expect(
      await classifyError(
        one,
        instance,
        'Answers must quote at least nine medieval poets in their own dialect.',
      ),
    ).toBe('Hallucination');
  });
});

describe('texts in the words of other models', () => {
  test('are taken whatever they hold', async () => {
    const text = string({ unit: 'grapheme' });
    const line = string({ unit: 'grapheme', minLength: 1 }).filter(
      (entry) => entry.trim() !== '' && !/[\r\n]/.test(entry),
    );
    await assert(
      asyncProperty(text, text, text, line, async (first, second, third, entry) => {
        const curr = { curr_request: first };
        requireAccepted(checkInference(await askText(one, 'infer', { ...curr, interaction_log: second })));
        requireAccepted(checkText(await askText(one, 'respond', { ...curr, interaction_log: second })));
        requireAccepted(checkText(await askText(one, 'respond', { ...curr, preference: second })));
        const list = { preference: second, checklist: renderChecklist([entry]) };
        const labels = checkMatch(await askText(one, 'match', { ...list, examples: third }), [entry]);
        expect(requireAccepted(labels)).toHaveLength(1);
        const judging = {
          ...list,
          user_request: first,
          ai_response: third,
          checklist: renderJudgeChecklist([entry]),
        };
        requireAccepted(checkJudgement(await askText(one, 'judge', judging)));
        requireAccepted(
          checkErrorType(
            await askText(one, 'classify', {
              ...curr,
              context_factor: entry,
              preference: second,
              inferred_preference: third,
              session_preferences: `- ${entry}: ${second}`,
            }),
          ),
        );
      }),
      { numRuns: 200, seed: 4 },
    );
  });
});

async function scoreOf(instance: Instance, response: string): Promise<number> {
  return requireAccepted(checkJudgement(await askText(one, 'judge', judgeValues(instance, response)))).score;
}

async function microF1(context: Context): Promise<number> {
  const all = [];
  for (const instance of instances)
    all.push(await inferPreference(one, instance, await buildLog(one, instance, context)));
  const precision = mean(all.flatMap(({ predicted }) => predicted.map(credit)));
  const recall = mean(all.flatMap(({ wanted }) => wanted.map(credit)));
  return (2 * precision * recall) / (precision + recall);
}

async function meanScore(given: HistoryForm): Promise<number> {
  const scores: number[] = [];
  for (const instance of instances) scores.push(await judgeResponse(one, instance, given));
  return mean(scores);
}

function credit(label: (typeof MATCH_LABELS)[number]): number {
  return { 'Fully Covered': 1, 'Partially Covered': 0.5, 'Not Covered': 0 }[label];
}

/** Returns whether the values increase in this order. */
function inOrder<T>(values: ReadonlyMap<T, number>, order: readonly T[]): boolean {
  const found = order.map((key) => values.get(key) ?? Number.NaN);
  return found.slice(1).every((value, place) => value > (found[place] ?? Number.NaN));
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
