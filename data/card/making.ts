import { modelName } from '../../schemas/model-spec';
import type { SynthesisSettings } from '../../schemas/settings';
import { MODEL_ROLES } from '../../schemas/step';
import type { Seeds } from '../seeds';
import { type CardCosts, costsText, PARTS } from './costs';
import { bullets, code, table, whole } from './markdown';

/** How a run made its data. */
export interface MakingFacts {
  readonly settings: SynthesisSettings;
  /** Personas that failed, and are in no data set. */
  readonly failedPersonas: number;
  /** Models that were asked besides the settings' ones, as `provider:model`: for what had failed and was done over. */
  readonly otherModels: readonly string[];
  /** The models as the responses named them, sorted, without repeats. */
  readonly answeredBy: readonly string[];
  readonly seeds: { readonly origin: Seeds['origin']; readonly count: number };
  readonly prompts: { readonly source: string; readonly hash: string };
  readonly codeVersion: string;
  /** The message put before the simulated user's history, for a provider that refuses to begin with the assistant. */
  readonly opening?: string;
  /** Absent where nobody knows. */
  readonly costs?: CardCosts;
}

/** The section on how a run made its data: models, settings, code, costs. */
export function makingText(facts: MakingFacts): string {
  const { settings } = facts;
  const models = MODEL_ROLES.map((role) => [PARTS[role], code(modelName(settings.models[role]))]);
  const steps = Object.entries(settings.steps).map(([step, asking]) => [
    step,
    String(asking.temperature),
    String(asking.maxTokens),
    String(asking.asks),
    String(asking.samples),
  ]);
  return [
    'A pipeline after the paper, which is not the program of its authors, drew persona templates around seed sentences and had a ' +
      'model describe the personas, then the context factors of their worlds, then a journey of sessions with requests and ' +
      'preferences, and decompose each preference into questions. Each session but the last was played by two models, one as the ' +
      'user and one as the assistant.',
    table(['Part', 'Model'], models),
    bullets(particulars(facts)),
    table(['Step', 'Temperature', 'Max. tokens', 'Asks', 'Samples'], steps),
    ASKING,
    costsText(facts.costs),
  ].join('\n\n');
}

const ASKING =
  'An answer that breaks its form is asked for up to *Asks* times, and that up to *Samples* times from the start.';

function particulars(facts: MakingFacts): string[] {
  const { settings } = facts;
  return [
    ...(facts.otherModels.length === 0
      ? []
      : [
          `Of some personas, what failed was done over with ${facts.otherModels.map(code).join(', ')}; \`provenance.parquet\` tells of which.`,
        ]),
    `The models as their answers named them: ${facts.answeredBy.map(code).join(', ') || 'unknown'}.`,
    `Seed of every random choice: ${settings.seed}.`,
    `Personas asked for: ${settings.nPersonas}${failedText(facts.failedPersonas)}; context factors each: ${settings.nFactors}; sessions each: ${settings.nSessions}; at most ${settings.maxTurns} user messages a dialogue.`,
    settings.requireSatisfied
      ? 'Personas with a dialogue that never satisfied its user were left out.'
      : 'Personas with a dialogue that never satisfied its user were kept; `unsatisfied_sessions` in `provenance.parquet`, which the run wrote beside, names those dialogues.',
    `Seed sentences: ${SEED_NAMES[facts.seeds.origin]} (${facts.seeds.count}).`,
    `Prompts: ${facts.prompts.source === 'built-in' ? 'the built-in pack' : 'a pack of the maker'}, SHA-256 ${code(facts.prompts.hash)}.`,
    ...(facts.opening === undefined
      ? []
      : [
          `The provider of the model that plays the user refuses conversations that begin with the assistant, so “${facts.opening}” was put before them; it is in no dialogue.`,
        ]),
    `Version of the code: ${code(facts.codeVersion)}.`,
  ];
}

function failedText(count: number): string {
  if (count === 0) return '';
  return `, of which ${whole(count)} failed and ${count === 1 ? 'is' : 'are'} not in the data`;
}

const SEED_NAMES: Readonly<Record<Seeds['origin'], string>> = {
  'built-in': 'those that come with the program',
  personahub: '[PersonaHub](https://huggingface.co/datasets/proj-persona/PersonaHub)',
  file: 'a file of the maker',
};
