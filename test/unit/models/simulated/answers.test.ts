import { assert, asyncProperty, string } from 'fast-check';
import { planVerdict } from '../../../../models/simulated/dialogue-plan';
import { openSimulatedModel, STEP_ANSWERS } from '../../../../models/simulated/model';
import { formatRepairRequest } from '../../../../rules/answers/form/checks';
import { buildAssistantHistory, buildUserSimulatorHistory } from '../../../../rules/dialogue/messages';
import { getAnswerForm, STEPS } from '../../../../schemas/run/step';
import { listEvaluationCases, listSynthesisCases, type StepCase } from './cases';
import { matchChecklist } from './evaluation';
import {
  ask,
  askDialogue,
  askFor,
  describe as describePersonas,
  openSimulated,
  requestOf,
  sampleTemplate,
  synthesizePersona,
} from './persona';

const PERSONAS = 100;

type Synthesized = Awaited<ReturnType<typeof synthesizePersona>>;

let personas: Synthesized[];
let cases: StepCase[];

beforeAll(async () => {
  personas = [];
  // Each answer passes the check of its step.
  for (let id = 1; id <= PERSONAS; id += 1)
    personas.push(await synthesizePersona(openSimulated(), id, 3 + (id % 8), 9 + (id % 7)));
  cases = [...(await listSynthesisCases()), ...listEvaluationCases()];
});

test('every step has a simulated answer, its own or that of the step whose form it shares', () => {
  expect(getAnswerForm('decompose')).toBe('checklist');
  // A memory system answers it, not a model.
  expect(STEPS.filter((step) => !(getAnswerForm(step) in STEP_ANSWERS))).toEqual(['recall']);
});

test('personas are described in the order of their templates, whatever their seeds hold', async () => {
  const seeds = ["A cook who's 40.", 'A "poet" of Rome.', `Says "it's" \\ twice.`];
  const templates = seeds.map((seed, id) => ({ ...sampleTemplate(id + 1), seed }));
  const described = await describePersonas(openSimulated(), templates);
  for (const [place, { description }] of described.entries())
    expect(description).toContain(seeds[place]?.replace(/\.$/, ''));
});

test('personas of 3 to 10 factors and 9 to 15 sessions leave no slot unfilled, and share no description', () => {
  for (const { description, factors, journey } of personas) {
    // Code in a resource has braces of its own.
    const sessions = journey.sessions.map((session) => ({ ...session, resource: '' }));
    expect(JSON.stringify([description, factors, sessions])).not.toMatch(/\{\w+\}|undefined/);
  }
  const middle = personas.map(({ description }) => description.split('. ').slice(1, 4).join('. '));
  expect(new Set(middle).size).toBe(PERSONAS);
});

describe('a dialogue', () => {
  test('never has the same message of the user twice, not even when nothing satisfies the user', async () => {
    const [persona] = personas;
    const session = persona?.journey.sessions.find(({ resource }) => resource === undefined);
    if (persona === undefined || session === undefined) throw new Error('no persona');
    const { description } = persona;
    const checklist = (persona.checklists.get(session.preference) ?? []).slice(0, 2);
    const isEndless = (request: string) => {
      const opening = buildUserSimulatorHistory(request, [])[0]?.content ?? '';
      return planVerdict(opening, description, checklist, 15).raised !== undefined;
    };
    const requests = Array.from({ length: 2000 }, (_, day) => `Help me plan day ${day}.`).filter(isEndless);
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) {
      const plain = { ...session, request_with_factor: request };
      const { turns } = await askDialogue(openSimulated(), { description, session: plain, checklist });
      expect(turns).toHaveLength(15);
      expect(new Set(turns.map(({ message }) => message)).size).toBe(15);
    }
  });

  test('continues as planned when a bad answer had to be corrected', async () => {
    const history = buildAssistantHistory('Please plan a season plan for me. It is due on Thursday.', []);
    const corrected = [
      ...history,
      { role: 'assistant' as const, content: 'Hm.' },
      { role: 'user' as const, content: formatRepairRequest('it was too short.') },
    ];
    const { text } = await ask(openSimulated(), requestOf('assistant', {}, corrected));
    expect(text).toContain('season plan');
    expect(text).not.toMatch(/rework|once more|again/);
  });
});

test('the same request gets the same answer from any model instance, in any order', async () => {
  const requests = cases.map(({ request }) => request);
  const forwards = [];
  for (const request of requests) forwards.push(await ask(openSimulated(), request));
  const backwards = [];
  const other = openSimulated({ latency: '1ms' });
  for (const request of requests.toReversed()) backwards.unshift(await ask(other, request));
  expect(backwards).toEqual(forwards);
});

/** Steps whose answers have a choice of words; those of the others are mostly equal. */
const WORDY = ['describe', 'factors', 'journey', 'assistant', 'summarize', 'infer', 'respond'];

test('another ask, seed, prompt, temperature or name of the model gets another sample', async () => {
  const one = openSimulated();
  const second = openSimulatedModel({ provider: 'simulated', model: 'second', options: {} });
  for (const { request } of cases.filter(({ request: { step } }) => WORDY.includes(step))) {
    const { text } = await ask(one, request);
    const others = [{ attempt: 1 }, { seed: 8 }, { temperature: 0.1 }, { system: 'Another prompt.' }];
    for (const other of others) expect((await ask(one, { ...request, ...other })).text).not.toBe(text);
    const named = await ask(second, request);
    expect(named.model).toBe('simulated:second');
    expect(named.text).not.toBe(text);
  }
});

test('usage is counted from what was read and written', async () => {
  const request = requestOf('assistant', {}, [{ role: 'user', content: 'x'.repeat(400) }]);
  const { text, usage } = await ask(openSimulated(), request);
  expect(usage.input).toBe(100 + Math.ceil(request.system.length / 4));
  expect(usage.output).toBe(Math.ceil(text.length / 4));
});

describe('texts in the words of other models', () => {
  test('are evaluated whatever they hold', async () => {
    const text = string({ unit: 'grapheme' });
    const line = string({ unit: 'grapheme', minLength: 1 }).filter(
      (entry) => entry.trim() !== '' && !/[\r\n]/.test(entry),
    );
    await assert(
      asyncProperty(text, text, text, line, async (request, response, preference, factor) => {
        const texts = { request, response, preference, factor, checklist: [factor] };
        for (const { request: asked, check } of listEvaluationCases(texts))
          await askFor(openSimulated(), asked, check);
      }),
      { numRuns: 200, seed: 4 },
    );
  });

  test('make a checklist of their own wishes', async () => {
    const preferences = 'Summaries must cite at least two studies, flag open questions and avoid jargon.';
    const { text } = await ask(openSimulated(), requestOf('checklist', { preferences }));
    for (const wish of ['cite at least two studies?', 'flag open questions?', 'avoid jargon?'])
      expect(text).toContain(wish);
  });

  test('are matched by their words', async () => {
    const preference = 'The user prefers itemized budgets in tabular form, with every figure sourced.';
    const checklist = [
      'Does the response present an itemized budget in tabular form?',
      'Is the tone of the letter warm and encouraging for volunteers?',
    ];
    const labels = await matchChecklist(openSimulated(), preference, checklist);
    expect(labels).toEqual(['Fully Covered', 'Not Covered']);
  });
});
