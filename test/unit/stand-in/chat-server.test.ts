import { ModelError } from '../../../models/errors/error';
import type { Model, ModelRequest } from '../../../models/model';
import { openModel } from '../../../models/open';
import { loadPromptPack } from '../../../data/prompts/load';
import { renderPrompt } from '../../../data/prompts/render';
import {
  EVALUATION_PROMPT_NAMES,
  PLACEHOLDERS,
  SYNTHESIS_PROMPT_NAMES,
  SYSTEM_ONLY_PROMPTS,
  VERIFICATION_PROMPT_NAMES,
  type PromptName,
} from '../../../data/prompts/files';
import {
  EMPTY_LOG,
  renderInteractionLog,
  renderJudgeChecklist,
  renderMatcherExamples,
  renderSessionPreferences,
} from '../../../data/prompts/evaluation-values';
import { renderChecklist } from '../../../data/prompts/values';
import { renderExpressionQuestions, renderPairs } from '../../../data/prompts/verification-values';
import { checkChecklist } from '../../../rules/answers/synthesis/checklist';
import { checkErrorType } from '../../../rules/answers/evaluation/error-type';
import { checkInference } from '../../../rules/answers/evaluation/inference';
import { checkJudgement } from '../../../rules/answers/evaluation/judgement';
import { checkMatch } from '../../../rules/answers/evaluation/match';
import { checkText } from '../../../rules/answers/form/checks';
import { checkSummary } from '../../../rules/answers/evaluation/summary';
import { checkContradictions } from '../../../rules/answers/verification/contradiction';
import { checkExpressions } from '../../../rules/answers/verification/expressions';
import { checkGuess } from '../../../rules/answers/verification/guess';
import { formatRepairRequest } from '../../../rules/answers/form/checks';
import { parseModelSpec } from '../../../schemas/model/model-spec';
import type { PriorInteraction } from '../../../schemas/dataset/instance';
import type { PromptPack } from '../../../schemas/run/prompts';
import { startStandIn, type StandIn } from '../../stand-in/chat-server';
import { createQuestionReader } from '../../stand-in/question';

const NAMES = [
  ...new Set<PromptName>([
    ...SYNTHESIS_PROMPT_NAMES,
    ...EVALUATION_PROMPT_NAMES,
    ...VERIFICATION_PROMPT_NAMES,
  ]),
];

let pack: PromptPack;
let standIn: StandIn;
let model: Model;

beforeAll(async () => {
  pack = await loadPromptPack(undefined, NAMES);
  standIn = await startStandIn();
  model = openModel(parseModelSpec(standIn.spec), {});
});
afterAll(() => standIn.goDown());
afterEach(() => {
  standIn.fault = undefined;
});

describe('the stand-in provider', () => {
  test.each(NAMES)('reads out of a rendered %s the step and the very values', (name) => {
    // What would go wrong in a careless pattern: line breaks, braces, dollars, brackets, spaces at the ends.
    const values = Object.fromEntries(
      PLACEHOLDERS[name].map((placeholder) => [placeholder, ` ${placeholder}\n\n## $1 {x} [y] (z)* \\d \n`]),
    );
    const { system, user = 'Hello' } = renderPrompt(pack, name, values);
    expect(createQuestionReader(pack)(system, [{ role: 'user', content: user }])).toEqual({
      step: STEPS[name],
      values,
      form: SYSTEM_ONLY_PROMPTS.has(name) ? 'chat' : 'prompt',
    });
  });

  test('answers in the form of the step, through the real client', async () => {
    const { text, finish, usage } = await ask(checklistRequest('The answer must be short and must be kind.'));
    expect(checkChecklist(text)).toMatchObject({ ok: true });
    expect(finish).toBe('complete');
    expect(usage.input).toBeGreaterThan(0);
  });

  test('answers the same request with the same words, and another seed with others', async () => {
    const [one, again, other] = [
      await ask(chatRequest(1)),
      await ask(chatRequest(1)),
      await ask(chatRequest(2)),
    ];
    expect(again).toEqual(one);
    expect(other.text).not.toBe(one.text);
  });

  test('understands a question that is asked again with what was wrong', async () => {
    const request = checklistRequest('The answer must be short and must be kind.');
    const again: ModelRequest = {
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: 'I am not sure.' },
        { role: 'user', content: formatRepairRequest('it holds no JSON block') },
      ],
    };
    expect(checkChecklist((await ask(again)).text)).toMatchObject({ ok: true });
  });

  test('understands what evaluation asks, and answers it in the form of the step, through the real client', async () => {
    const checklist = ['Is the response short?', 'Is the response kind?'];
    const preference = 'The answer must be short and must be kind.';
    const answered = async (name: PromptName, values: Readonly<Record<string, string>>) => {
      const { system, user = '' } = renderPrompt(pack, name, values);
      const messages = [{ role: 'user', content: user } as const];
      return (await ask({ ...checklistRequest(''), system, messages })).text;
    };
    const asked = {
      curr_request: 'Write to Ms. Oduya.',
      interaction_log: renderInteractionLog([PRIOR, PRIOR]),
    };
    const judged = { user_request: 'Write to Ms. Oduya.', ai_response: 'Dear Ms. Oduya, thank you.' };
    const numbered = renderChecklist(checklist);
    const examples = renderMatcherExamples(pack.matcherExamples ?? []);
    const classified = {
      curr_request: 'Write to Ms. Oduya.',
      context_factor: 'Ms. Oduya',
      inferred_preference: 'The answer must be long.',
      session_preferences: renderSessionPreferences([PRIOR]),
    };

    expect(
      checkSummary(
        await answered('evaluation/interaction_summarizer', { interaction_log: asked.interaction_log }),
        2,
      ),
    ).toMatchObject({ ok: true });
    expect(checkInference(await answered('evaluation/preference_inferrer', asked))).toMatchObject({
      ok: true,
    });
    expect(
      checkInference(
        await answered('evaluation/preference_inferrer', { ...asked, interaction_log: EMPTY_LOG }),
      ),
    ).toMatchObject({ ok: true });
    const matcher = await answered('evaluation/preference_matcher', {
      preference,
      checklist: numbered,
      examples,
    });
    expect(matcher).toContain('"reasoning"');
    expect(checkMatch(matcher, checklist)).toMatchObject({ ok: true });
    const matcherModel = await answered('evaluation/preference_matcher_model', {
      preference,
      checklist: numbered,
    });
    expect(matcherModel).toMatch(/^\[/u);
    expect(checkMatch(matcherModel, checklist)).toMatchObject({ ok: true });
    expect(checkText(await answered('evaluation/response_generator', asked))).toMatchObject({ ok: true });
    expect(
      checkText(
        await answered('evaluation/response_generator_with_preference', {
          curr_request: asked.curr_request,
          preference,
        }),
      ),
    ).toMatchObject({ ok: true });
    const judgeValues = { ...judged, preference, checklist: renderJudgeChecklist(checklist) };
    expect(checkJudgement(await answered('evaluation/response_judger', judgeValues))).toMatchObject({
      ok: true,
    });
    expect(
      checkErrorType(await answered('evaluation/error_classifier', { ...classified, preference })),
    ).toMatchObject({ ok: true });
    const { curr_request } = asked;
    const stated = { preference, checklist };
    const found = await answered(
      'verification/expression_finder',
      renderExpressionQuestions([{ ...stated, sessions: [PRIOR, PRIOR] }]),
    );
    expect(checkExpressions(found, [checklist])).toMatchObject({ ok: true });
    const guessed = await answered('verification/request_guesser', { curr_request });
    expect(checkGuess(guessed)).toMatchObject({ ok: true });
    const second = { preference: 'The answer must be long.', checklist: ['Is it long?'] };
    const pairs = renderPairs([{ first: stated, second }]);
    const compared = await answered('verification/contradiction_finder', { pairs });
    expect(checkContradictions(compared, 1)).toMatchObject({ ok: true });
  });

  test('refuses what no prompt of the pack says, and remembers it', async () => {
    await expect(ask({ ...checklistRequest('Be brief.'), system: 'Sing a song.' })).rejects.toBeInstanceOf(
      ModelError,
    );
    expect(standIn.misunderstood.at(-1)).toContain('Sing a song.');
  });

  test('distinguishes requests that were answered, refused and lost', async () => {
    const from = standIn.received.length;
    await ask(checklistRequest('Be brief.'));
    standIn.fault = { status: 429, retryAfter: 3 };
    await expect(ask(checklistRequest('Be brief.'))).rejects.toMatchObject({
      kind: 'rate-limit',
      retryAfterMs: 3_000,
    });
    standIn.fault = undefined;
    standIn.latency = 60_000;
    const unanswered = ask(checklistRequest('Be brief.'));
    unanswered.catch(() => undefined);
    while (standIn.count('pending', from) === 0) await new Promise((resolve) => setImmediate(resolve));
    await standIn.goDown();
    await expect(unanswered).rejects.toMatchObject({ kind: 'connection' });
    standIn.latency = 0;
    await standIn.comeBack();
    await ask(checklistRequest('Be brief.'));
    expect(standIn.received.slice(from).map(({ outcome }) => outcome)).toEqual([
      'answered',
      'refused',
      'lost',
      'answered',
    ]);
    // One request asked four times.
    expect(new Set(standIn.received.slice(from).map(({ bodyHash }) => bodyHash)).size).toBe(1);
  });
});

const PRIOR: PriorInteraction = {
  context_factor: 'Ms. Oduya',
  contextual_preference: 'The answer must be short and must be kind.',
  dialogue: [
    { role: 'user', content: 'Answer the letter of Ms. Oduya.' },
    { role: 'assistant', content: '## Session\n\n---\n\nDear Ms. Oduya, …' },
    { role: 'user', content: 'She will not read that far.' },
  ],
};

const STEPS: Readonly<Record<PromptName, string>> = {
  'synthesis/persona_generator': 'describe',
  'synthesis/context_factors_generator': 'factors',
  'synthesis/sessions_generator': 'journey',
  'synthesis/preference_decomposer': 'checklist',
  'synthesis/user_simulator': 'user',
  'synthesis/assistant_simulator': 'assistant',
  'evaluation/interaction_summarizer': 'summarize',
  'evaluation/preference_inferrer': 'infer',
  'evaluation/preference_matcher': 'match',
  'evaluation/preference_matcher_model': 'match',
  'evaluation/response_generator': 'respond',
  'evaluation/response_generator_with_preference': 'respond',
  'evaluation/response_judger': 'judge',
  'evaluation/error_classifier': 'classify',
  'verification/expression_finder': 'express',
  'verification/request_guesser': 'guess',
  'verification/contradiction_finder': 'contradict',
};

function ask(request: ModelRequest) {
  return model.ask(request, new AbortController().signal);
}

function checklistRequest(preference: string): ModelRequest {
  const { system, user = '' } = renderPrompt(pack, 'synthesis/preference_decomposer', {
    preferences: preference,
  });
  return {
    step: 'checklist',
    values: {},
    form: 'prompt',
    system,
    messages: [{ role: 'user', content: user }],
    temperature: 0,
    maxTokens: 4096,
    ask: 0,
    seed: 7,
  };
}

function chatRequest(seed: number): ModelRequest {
  return {
    ...checklistRequest(''),
    step: 'assistant',
    form: 'chat',
    system: renderPrompt(pack, 'synthesis/assistant_simulator', {}).system,
    messages: [{ role: 'user', content: 'How do I tune the old harpsichord before the concert?' }],
    seed,
  };
}
