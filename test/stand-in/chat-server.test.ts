import { ModelError } from '../../models/error';
import type { Model, ModelRequest } from '../../models/model';
import { openModel } from '../../models/open';
import { loadPromptPack } from '../../prompts/load';
import { renderPrompt } from '../../prompts/render';
import { PROMPT_NAMES, SYNTHESIS_PROMPTS, SYSTEM_ONLY_PROMPTS, type PromptName } from '../../prompts/files';
import { checkChecklist } from '../../rules/answers/checklist';
import { correction } from '../../rules/asks';
import { parseModelSpec } from '../../schemas/model-spec';
import type { PromptPack } from '../../schemas/prompts';
import { startStandIn, type StandIn } from './chat-server';
import { questionReader } from './question';

let pack: PromptPack;
let standIn: StandIn;
let model: Model;

beforeAll(async () => {
  pack = await loadPromptPack(undefined);
  standIn = await startStandIn();
  model = openModel(parseModelSpec(standIn.spec), {});
});
afterAll(() => standIn.goDown());
afterEach(() => {
  standIn.fault = undefined;
});

describe('the stand-in provider', () => {
  test.each(PROMPT_NAMES)('reads out of a rendered %s the step and the very values', (name) => {
    // What would go wrong in a careless pattern: line breaks, braces, dollars, brackets, blanks at the ends.
    const values = Object.fromEntries(
      SYNTHESIS_PROMPTS[name].map((placeholder) => [
        placeholder,
        ` ${placeholder}\n\n## $1 {x} [y] (z)* \\d \n`,
      ]),
    );
    const { system, user = 'Hello' } = renderPrompt(pack, name, values);
    expect(questionReader(pack)(system, [{ role: 'user', content: user }])).toEqual({
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
        { role: 'user', content: correction('it holds no JSON block') },
      ],
    };
    expect(checkChecklist((await ask(again)).text)).toMatchObject({ ok: true });
  });

  test('refuses what no prompt of the pack says, and remembers it', async () => {
    await expect(ask({ ...checklistRequest('Be brief.'), system: 'Sing a song.' })).rejects.toBeInstanceOf(
      ModelError,
    );
    expect(standIn.misunderstood.at(-1)).toContain('Sing a song.');
  });

  test('tells apart requests that were answered, refused and lost', async () => {
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

const STEPS: Readonly<Record<PromptName, string>> = {
  'synthesis/persona_generator': 'describe',
  'synthesis/context_factors_generator': 'factors',
  'synthesis/sessions_generator': 'journey',
  'synthesis/preference_decomposer': 'checklist',
  'synthesis/user_simulator': 'user',
  'synthesis/assistant_simulator': 'assistant',
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
