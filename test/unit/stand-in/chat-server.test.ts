import { ModelError } from '../../../models/errors/error';
import type { Model, ModelRequest } from '../../../models/model';
import { openModel } from '../../../models/open';
import { loadPromptPack } from '../../../data/prompts/load';
import { renderPrompt } from '../../../data/prompts/render';
import { SYNTHESIS_PROMPT_NAMES } from '../../../data/prompts/files';
import { checkChecklist } from '../../../rules/answers/synthesis/checklist';
import { parseModelSpec } from '../../../schemas/model/model-spec';
import type { PromptPack } from '../../../schemas/run/prompts';
import { startStandIn, type StandIn } from '../../stand-in/chat-server';

let pack: PromptPack;
let standIn: StandIn;
let model: Model;

beforeAll(async () => {
  pack = await loadPromptPack(undefined, SYNTHESIS_PROMPT_NAMES);
  standIn = await startStandIn();
  model = await openModel(parseModelSpec(standIn.spec), {});
});
afterAll(() => standIn.goDown());
afterEach(() => {
  standIn.fault = undefined;
});

describe('the stand-in provider', () => {
  test('answers in the form of the step, through the real client', async () => {
    const { text, finish, usage } = await ask(checklistRequest('The answer must be short and must be kind.'));
    expect(checkChecklist(text)).toMatchObject({ ok: true });
    expect(finish).toBe('complete');
    expect(usage.input).toBeGreaterThan(0);
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
    attempt: 0,
    seed: 7,
  };
}
