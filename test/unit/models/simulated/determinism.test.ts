import { drawStructure } from '../../../../rules/journey/structure';
import { renderInteractionLog } from '../../../../data/prompts/evaluation-values';
import { renderChecklist, renderTemplates } from '../../../../data/prompts/values';
import type { ModelRequest } from '../../../../models/model';
import { openSimulatedModel } from '../../../../models/simulated/model';
import {
  ask,
  describe as describePersonas,
  askFactors,
  buildJourneyRequest,
  openSimulated,
  requestOf,
  sampleTemplate,
} from './persona';

async function requests(): Promise<ModelRequest[]> {
  const [persona] = await describePersonas(openSimulated(), [sampleTemplate(3)]);
  const description = persona?.description ?? '';
  const factors = await askFactors(openSimulated(), description, 8);
  return [
    requestOf('describe', { seed_descriptions: renderTemplates([sampleTemplate(3), sampleTemplate(4)]) }),
    requestOf('factors', { n_factors: '8', user_persona: description }),
    buildJourneyRequest(description, factors, drawStructure({ nSessions: 13, seed: 42, personaId: 3 })),
    requestOf('assistant', {}, [{ role: 'user', content: 'What about the release note?' }]),
  ];
}

/** Builds requests of the evaluation steps with a choice of words; the other steps mostly have equal answers. */
function wordyRequests(): ModelRequest[] {
  const request = { curr_request: 'What about the release note for the Platform Guild?' };
  return [
    requestOf('summarize', { interaction_log: LOG }),
    requestOf('infer', { ...request, interaction_log: LOG }),
    requestOf('respond', { ...request, interaction_log: LOG }),
    requestOf('respond', { ...request, preference: PREFERENCE }),
  ];
}

function evaluatingRequests(): ModelRequest[] {
  const checklist = renderChecklist(['Does the answer number every step?', 'Does the answer joke?']);
  return [
    requestOf('decompose', { preferences: PREFERENCE }),
    requestOf('match', { preference: PREFERENCE, checklist, examples: '' }),
    requestOf('match', { preference: PREFERENCE, checklist }),
    requestOf('judge', { preference: PREFERENCE, checklist, user_request: '', ai_response: 'No.' }),
    requestOf('classify', { preference: PREFERENCE, inferred_preference: 'Answers must rhyme.' }),
  ];
}

const PREFERENCE = 'Answers must number every step and use full titles for everyone mentioned.';

const LOG = renderInteractionLog(
  ['the Platform Guild', 'the Standards Working Group'].map((factor) => ({
    context_factor: factor,
    contextual_preference: PREFERENCE,
    dialogue: [
      { role: 'user', content: `Help me write the migration plan for ${factor}.` },
      { role: 'assistant', content: 'Here it is.' },
      { role: 'user', content: 'The language is too casual. Could the wording be more professional?' },
    ],
  })),
);

test('the same request gets the same answer from any model instance, in any order', async () => {
  const all = [...(await requests()), ...wordyRequests(), ...evaluatingRequests()];
  const one = openSimulated();
  const other = openSimulated({ latency: '1ms' });
  const forwards = [];
  for (const request of all) forwards.push(await ask(one, request));
  const backwards = [];
  for (const request of all.toReversed()) backwards.unshift(await ask(other, request));
  expect(backwards).toEqual(forwards);
});

test('another ask, seed, prompt or temperature gets another sample', async () => {
  const one = openSimulated();
  for (const request of [...(await requests()), ...wordyRequests()]) {
    const { text } = await ask(one, request);
    const others = [
      { ...request, ask: 1 },
      { ...request, seed: 8 },
      { ...request, temperature: 0.1 },
      { ...request, system: 'Another prompt.' },
    ];
    for (const other of others) expect((await ask(one, other)).text).not.toBe(text);
  }
});

test('another name of the model answers otherwise and under its own name', async () => {
  const other = openSimulatedModel({ provider: 'simulated', model: 'second', options: {} });
  for (const request of [...(await requests()), ...wordyRequests()]) {
    const answer = await ask(openSimulated(), request);
    expect(answer.model).toBe('simulated:default');
    expect((await ask(other, request)).model).toBe('simulated:second');
    expect((await ask(other, request)).text).not.toBe(answer.text);
  }
});

test('usage is counted from what was read and written', async () => {
  const request = requestOf('assistant', {}, [{ role: 'user', content: 'x'.repeat(400) }]);
  const { text, usage } = await ask(openSimulated(), request);
  expect(usage.input).toBe(100 + Math.ceil(request.system.length / 4));
  expect(usage.output).toBe(Math.ceil(text.length / 4));
});

test('a step that it does not know is a bad request', async () => {
  await expect(ask(openSimulated(), { ...requestOf('assistant', {}), step: 'dance' })).rejects.toMatchObject({
    kind: 'bad-request',
  });
});
