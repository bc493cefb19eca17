import { renderInteractionLog, renderJudgeChecklist } from '../../../../data/prompts/evaluation-values';
import {
  renderFactorsYaml,
  renderChecklist,
  renderStructure,
  renderTemplates,
} from '../../../../data/prompts/values';
import type { ModelRequest } from '../../../../models/model';
import { checkChecklist } from '../../../../rules/answers/synthesis/checklist';
import { checkDescriptions } from '../../../../rules/answers/synthesis/describe';
import { checkErrorType } from '../../../../rules/answers/evaluation/error-type';
import { checkFactors } from '../../../../rules/answers/synthesis/factors';
import { checkInference } from '../../../../rules/answers/evaluation/inference';
import { checkJourney } from '../../../../rules/answers/synthesis/journey';
import { checkJudgement } from '../../../../rules/answers/evaluation/judgement';
import { checkMatch } from '../../../../rules/answers/evaluation/match';
import { checkText } from '../../../../rules/answers/form/checks';
import { checkSummary } from '../../../../rules/answers/evaluation/summary';
import { checkUserTurn, checkAssistantTurn } from '../../../../rules/answers/synthesis/dialogue';
import type { CheckResult } from '../../../../rules/answers/form/checks';
import { buildUserSimulatorHistory } from '../../../../rules/dialogue/messages';
import { drawStructure } from '../../../../rules/journey/structure';
import type { ContextFactor } from '../../../../schemas/dataset/factor';
import {
  ask,
  describe as describePersonas,
  askFactors,
  openSimulated,
  requestOf,
  sampleTemplate,
} from './persona';

/** Steps with answers of any form, which can only be empty. */
const ANY_TEXT: ReadonlySet<string> = new Set(['assistant', 'respond']);

interface Case {
  readonly request: ModelRequest;
  readonly check: (text: string) => CheckResult<unknown>;
}

let cases: Case[];

beforeAll(async () => {
  const [persona] = await describePersonas(openSimulated(), [sampleTemplate(5)]);
  const description = persona?.description ?? '';
  const factors = await askFactors(openSimulated(), description, 8);
  cases = [...casesOf(description, factors), ...evaluationCases()];
});

describe('malformed=1', () => {
  test('spoils every answer of every step so that its checker sends it back or doubts it', async () => {
    const bad = openSimulated({ malformed: '1' });
    for (const { request, check } of cases) {
      for (let number = 0; number < 60; number += 1) {
        const checked = check((await ask(bad, { ...request, ask: number })).text);
        expect({ step: request.step, ask: number, good: checked.ok && checked.doubt === undefined }).toEqual({
          step: request.step,
          ask: number,
          good: false,
        });
      }
    }
  });

  test('spoils them in several ways', async () => {
    const bad = openSimulated({ malformed: '1' });
    for (const { request, check } of cases.filter(({ request: { step } }) => !ANY_TEXT.has(step))) {
      const reasons = new Set<string>();
      for (let number = 0; number < 60; number += 1) {
        const checked = check((await ask(bad, { ...request, ask: number })).text);
        reasons.add(checked.ok ? (checked.doubt ?? '').slice(0, 30) : checked.reason.slice(0, 30));
      }
      expect(reasons.size).toBeGreaterThanOrEqual(3);
    }
  });
});

describe('fractions', () => {
  test.each(['malformed', 'refused', 'empty'])(
    '%s=0.2 spoils a fifth of the answers, always the same ones',
    async (fault) => {
      const spoilt = async () => {
        const one = openSimulated({ [fault]: '0.2' });
        const right = openSimulated();
        const found: number[] = [];
        for (let number = 0; number < 1000; number += 1) {
          const request = {
            ...requestOf('assistant', {}, [{ role: 'user', content: 'Help me with the set list.' }]),
            ask: number,
          };
          if ((await ask(one, request)).text !== (await ask(right, request)).text) found.push(number);
        }
        return found;
      };
      const found = await spoilt();
      expect(found.length).toBeGreaterThan(150);
      expect(found.length).toBeLessThan(250);
      expect(await spoilt()).toEqual(found);
    },
  );
});

describe('a spoiled answer says how it ended', () => {
  const request = requestOf('assistant', {}, [{ role: 'user', content: 'Help me with the set list.' }]);

  test('cut off where the right answer is longer than the request allows', async () => {
    const cut = await ask(openSimulated(), { ...request, maxTokens: 10 });
    expect(cut).toMatchObject({ finish: 'length', usage: { output: 10 } });
  });

  test('refused and empty', async () => {
    expect(await ask(openSimulated({ refused: '1' }), request)).toMatchObject({ finish: 'refused' });
    expect(await ask(openSimulated({ empty: '1' }), request)).toMatchObject({ finish: 'complete', text: '' });
  });
});

describe('fail=TEXT', () => {
  test('spoils every answer to what holds the text, in any case, and no other', async () => {
    const one = openSimulated({ fail: 'chess "Club"' });
    for (let number = 0; number < 30; number += 1) {
      const hit = {
        ...requestOf('checklist', { preferences: 'Answers must mention the CHESS "club".' }),
        ask: number,
      };
      const miss = {
        ...requestOf('checklist', { preferences: 'Answers must mention the choir.' }),
        ask: number,
      };
      expect(checkChecklist((await ask(one, hit)).text).ok).toBe(false);
      expect(checkChecklist((await ask(one, miss)).text).ok).toBe(true);
    }
  });
});

describe('context=N', () => {
  const request = requestOf('infer', { curr_request: 'x'.repeat(400), interaction_log: '' });
  const size =
    Math.ceil(request.system.length / 4) + Math.ceil((request.messages[0]?.content.length ?? 0) / 4);

  test('refuses a prompt that is longer, for good, and says by how much', async () => {
    const refused = ask(openSimulated({ context: String(size - 1) }), request);
    await expect(refused).rejects.toMatchObject({ kind: 'context-length', isRetryable: false });
    await expect(refused).rejects.toThrow(
      `${size} tokens, more than the context of the simulated model (context=${size - 1})`,
    );
  });

  test('answers one that fits as if there were no limit', async () => {
    const answer = await ask(openSimulated({ context: String(size) }), request);
    expect(answer).toEqual(await ask(openSimulated(), request));
    expect(answer.usage.input).toBe(size);
  });
});

describe('latency', () => {
  test('ends at once when the request is given up', async () => {
    const controller = new AbortController();
    const asked = openSimulated({ latency: '600s' }).ask(requestOf('assistant', {}), controller.signal);
    controller.abort(new Error('given up'));
    await expect(asked).rejects.toThrow('given up');
  });

  test('is not begun when the request was given up before', async () => {
    const signal = AbortSignal.abort(new Error('never mind'));
    await expect(openSimulated().ask(requestOf('assistant', {}), signal)).rejects.toThrow('never mind');
  });
});

function casesOf(description: string, factors: readonly ContextFactor[]): Case[] {
  const structure = drawStructure({ nSessions: 13, seed: 42, personaId: 5 });
  const [first, second] = factors.slice(-2);
  const preference = first?.preference ?? '';
  const opening = 'Please plan the season with me.';
  const history = buildUserSimulatorHistory(opening, [{ assistant: 'Here is a plan.' }]);
  return [
    {
      request: requestOf('describe', {
        seed_descriptions: renderTemplates([sampleTemplate(1), sampleTemplate(2)]),
      }),
      check: (text) => checkDescriptions(text, { count: 2, quality: 'strict' }),
    },
    {
      request: requestOf('factors', { n_factors: '8', user_persona: description }),
      check: (text) => checkFactors(text, { nFactors: 8, quality: 'strict' }),
    },
    {
      request: requestOf('journey', {
        n_sessions: '13',
        series_structure: renderStructure(structure),
        first_factor: first?.factor ?? '',
        second_factor: second?.factor ?? '',
        user_persona: description,
        context_factors: renderFactorsYaml(factors),
      }),
      check: (text) => checkJourney(text, { structure, factors, quality: 'strict' }),
    },
    { request: requestOf('checklist', { preferences: preference }), check: checkChecklist },
    {
      request: requestOf(
        'user',
        {
          user_profile: description,
          context_factor: first?.factor ?? '',
          preference,
          checklist: renderChecklist([
            'Does the answer number every step?',
            'Does the answer include one dry joke?',
          ]),
        },
        history,
      ),
      check: checkUserTurn,
    },
    { request: requestOf('assistant', {}, [{ role: 'user', content: opening }]), check: checkAssistantTurn },
  ];
}

function evaluationCases(): Case[] {
  const log = renderInteractionLog(
    [1, 2, 3].map((number) => ({
      context_factor: 'the Boathouse',
      contextual_preference: 'Answers must number every step.',
      dialogue: [
        { role: 'user' as const, content: `Help me with day ${number} at the Boathouse.` },
        { role: 'assistant' as const, content: 'Here is a plan.' },
        { role: 'user' as const, content: 'Fine.' },
      ],
    })),
  );
  const request = { curr_request: 'Plan a week for the Boathouse.' };
  const preference = 'Answers must number every step and skip any greeting or introduction.';
  const checklist = ['Does the answer number every step?', 'Does the answer greet nobody?', 'Is it short?'];
  const matching = { preference, checklist: renderChecklist(checklist) };
  const single = { preference, checklist: renderChecklist(checklist.slice(0, 1)) };
  return [
    { request: requestOf('summarize', { interaction_log: log }), check: (text) => checkSummary(text, 3) },
    { request: requestOf('infer', { ...request, interaction_log: log }), check: checkInference },
    { request: requestOf('decompose', { preferences: preference }), check: checkChecklist },
    {
      request: requestOf('match', { ...matching, examples: 'Examples.' }),
      check: (text) => checkMatch(text, checklist),
    },
    { request: requestOf('match', matching), check: (text) => checkMatch(text, checklist) },
    { request: requestOf('match', single), check: (text) => checkMatch(text, checklist.slice(0, 1)) },
    { request: requestOf('respond', { ...request, preference }), check: checkText },
    {
      request: requestOf('judge', {
        user_request: request.curr_request,
        ai_response: 'Here is the week.',
        preference,
        checklist: renderJudgeChecklist(checklist),
      }),
      check: checkJudgement,
    },
    {
      request: requestOf('classify', {
        ...request,
        context_factor: 'the Boathouse',
        preference,
        inferred_preference: 'Answers must be brief.',
        session_preferences: `- the Boathouse: ${preference}`,
      }),
      check: checkErrorType,
    },
  ];
}
