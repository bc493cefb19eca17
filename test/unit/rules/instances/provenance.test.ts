import { buildProvenance } from '../../../../rules/instances/provenance';
import { splitInstances } from '../../../../rules/instances/split';
import { drawStructure } from '../../../../rules/journey/structure';
import type { Provenance } from '../../../../schemas/dataset/provenance';
import type { StoredPersona } from '../../../../schemas/dataset/record';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { buildExampleRecord } from '../examples';

const SETTINGS = synthesisSettingsSchema.parse({
  models: { synthesis: 'openai:author', user: 'openai:user', assistant: 'openai:assistant' },
});
const RECORD = buildExampleRecord(drawStructure({ nSessions: 13, seed: 42, personaId: 7 }));

/** Builds the provenance of the three instances of a persona; changes replace the defaults. */
function build(changes: Partial<StoredPersona> = {}): Provenance[] {
  const persona: StoredPersona = {
    record: RECORD,
    workflow_id: 'run/p7',
    disagreements: [],
    selections: [],
    scores: [],
    dialogue_tokens: [],
    answered_by: ['worker'],
    code_version: '1.0.0',
    calls: 9,
    bad_answers: 0,
    input_tokens: 90,
    output_tokens: null,
    ...changes,
  };
  const run = { id: 'run', settings: SETTINGS, prompts: { source: 'test', hash: 'hash' }, simulated: false };
  return splitInstances(RECORD, 42).map((split) => buildProvenance(persona, split, run));
}

test('each role has the model of the settings, or every model that played it', () => {
  expect(build()[0]).toMatchObject({
    synthesis_model: 'openai:author',
    user_model: 'openai:user',
    assistant_model: 'openai:assistant',
  });
  const models = { user: ['openai:user', 'openai-compatible:other@http://localhost:8000/v1'] };
  expect(build({ models })[0]).toMatchObject({
    synthesis_model: 'openai:author',
    user_model: 'openai:user + openai-compatible:other',
    assistant_model: 'openai:assistant',
  });
});

test('a persona without separated answers has none, rather than an unknown number', () => {
  expect(build()[0]?.separated_answers).toBe(0);
  expect(build({ separated_answers: 3 })[0]?.separated_answers).toBe(3);
});

test('only sessions that an instance shows count as unsatisfied, or for its disagreements', () => {
  const record = {
    ...RECORD,
    interactions: RECORD.interactions.map((interaction) => ({ ...interaction, is_satisfied: false })),
  };
  const disagreements = RECORD.interactions.flatMap(({ session_id: session }) => [
    { session, turn: 1 },
    { session, turn: 2 },
  ]);
  for (const row of build({ record, disagreements })) {
    expect(row.unsatisfied_sessions).toEqual(row.prior_sessions);
    expect(row.disagreements).toBe(2 * row.prior_sessions.length);
  }
  expect(build()[0]).toMatchObject({ unsatisfied_sessions: [], disagreements: 0 });
});
