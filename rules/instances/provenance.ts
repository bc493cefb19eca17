import type { Provenance } from '../../schemas/dataset/provenance';
import type { StoredPersona } from '../../schemas/dataset/record';
import { formatModelName } from '../../schemas/model/model-spec';
import type { RunInputs } from '../../schemas/run/run';
import type { ModelRole } from '../../schemas/model/model-role';
import type { SplitInstance } from './split';

interface ProvenanceRun extends Pick<RunInputs, 'id' | 'settings' | 'prompts'> {
  /** True if any model of the run, or of the data that its personas come from, was simulated. */
  readonly simulated: boolean;
}

export function buildProvenance(
  persona: StoredPersona,
  { instance, priorSessions }: SplitInstance,
  { id, settings, prompts, simulated }: ProvenanceRun,
): Provenance {
  const { record, disagreements } = persona;
  const prior = new Set(priorSessions);
  return {
    persona_id: instance.persona_id,
    instance_type: instance.instance_type,
    run: id,
    workflow_id: persona.workflow_id,
    simulated,
    seed: settings.seed,
    seed_sentence: record.persona.seed,
    prior_sessions: priorSessions,
    unsatisfied_sessions: record.interactions
      .filter((interaction) => !interaction.is_satisfied && prior.has(interaction.session_id))
      .map((interaction) => interaction.session_id),
    disagreements: disagreements.filter(({ session }) => prior.has(session)).length,
    synthesis_model: findModel(persona, 'synthesis', settings.models),
    user_model: findModel(persona, 'user', settings.models),
    assistant_model: findModel(persona, 'assistant', settings.models),
    answered_by: persona.answered_by,
    prompts_hash: prompts.hash,
    code_version: persona.code_version,
    calls: persona.calls,
    bad_answers: persona.bad_answers,
    separated_answers: persona.separated_answers ?? 0,
    input_tokens: persona.input_tokens,
    output_tokens: persona.output_tokens,
  };
}

/** Returns the model as data sets name it: the settings' model, or all models that had this role for the persona. */
function findModel(
  { models }: StoredPersona,
  role: ModelRole,
  settings: RunInputs['settings']['models'],
): string {
  const names = new Set((models?.[role] ?? [settings[role]]).map(formatModelName));
  return [...names].join(' + ');
}
