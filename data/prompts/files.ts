import { isInParts } from '../../schemas/run/journey-parts';

/** Prompts that every synthesis needs; each is a file of that name in a pack's folder. */
export const SYNTHESIS_PROMPT_NAMES = [
  'synthesis/persona_generator',
  'synthesis/context_factors_generator',
  'synthesis/sessions_generator',
  'synthesis/preference_decomposer',
  'synthesis/user_simulator',
  'synthesis/assistant_simulator',
] as const;

/** The prompt that follows `sessions_generator` when a journey is written in parts. */
export const JOURNEY_PART_PROMPT = 'synthesis/sessions_part';

/** Lists the prompts that a synthesis with this many sessions needs. */
export function listSynthesisPrompts(nSessions: number): PromptName[] {
  return [...SYNTHESIS_PROMPT_NAMES, ...(isInParts(nSessions) ? ([JOURNEY_PART_PROMPT] as const) : [])];
}

/** The prompt that PrefMatcher is asked with, and hence trained on. */
export const PREFMATCHER_PROMPT = 'evaluation/preference_matcher_model';

/** Prompts that evaluation needs; it decomposes inferred preferences with the prompt of synthesis. */
export const EVALUATION_PROMPT_NAMES = [
  'evaluation/interaction_summarizer',
  'evaluation/preference_inferrer',
  'synthesis/preference_decomposer',
  'evaluation/preference_matcher',
  PREFMATCHER_PROMPT,
  'evaluation/response_generator',
  'evaluation/response_generator_with_preference',
  'evaluation/response_judger',
  'evaluation/error_classifier',
  'evaluation/preference_chooser',
] as const;

/** Prompts that verification needs; it matches revealed preferences with the prompt of evaluation. */
export const VERIFICATION_PROMPT_NAMES = [
  'verification/expression_finder',
  'verification/request_guesser',
  'verification/contradiction_finder',
  'evaluation/preference_matcher',
] as const;

export type PromptName =
  | (typeof SYNTHESIS_PROMPT_NAMES)[number]
  | typeof JOURNEY_PART_PROMPT
  | (typeof EVALUATION_PROMPT_NAMES)[number]
  | (typeof VERIFICATION_PROMPT_NAMES)[number];

/** Placeholders that each prompt must have, in either of its two texts; no others are allowed. */
export const PLACEHOLDERS = {
  'synthesis/persona_generator': ['seed_descriptions'],
  'synthesis/context_factors_generator': ['n_factors', 'user_persona'],
  'synthesis/sessions_generator': [
    'n_sessions',
    'series_structure',
    'first_factor',
    'second_factor',
    'user_persona',
    'context_factors',
  ],
  [JOURNEY_PART_PROMPT]: [
    'factor_a',
    'factor_b',
    'changed_preference',
    'earlier_sessions',
    'first_session',
    'last_session',
  ],
  'synthesis/preference_decomposer': ['preferences'],
  'synthesis/user_simulator': ['user_profile', 'context_factor', 'preference', 'checklist'],
  'synthesis/assistant_simulator': [],
  'evaluation/interaction_summarizer': ['interaction_log'],
  'evaluation/preference_inferrer': ['curr_request', 'interaction_log'],
  'evaluation/preference_matcher': ['preference', 'checklist', 'examples'],
  [PREFMATCHER_PROMPT]: ['preference', 'checklist'],
  'evaluation/response_generator': ['curr_request', 'interaction_log'],
  'evaluation/response_generator_with_preference': ['curr_request', 'preference'],
  'evaluation/response_judger': ['user_request', 'ai_response', 'preference', 'checklist'],
  'evaluation/error_classifier': [
    'curr_request',
    'context_factor',
    'preference',
    'inferred_preference',
    'session_preferences',
  ],
  'evaluation/preference_chooser': ['curr_request', 'interaction_log', 'options'],
  'verification/expression_finder': ['checklists', 'interaction_log'],
  'verification/request_guesser': ['curr_request'],
  'verification/contradiction_finder': ['pairs'],
} as const satisfies Record<PromptName, readonly string[]>;

/** Optional placeholders for the types of a run's taxonomy (paper, table 7); a pack may name the types in its text instead. */
export const TAXONOMY_PLACEHOLDERS: Readonly<Partial<Record<PromptName, readonly string[]>>> = {
  'synthesis/context_factors_generator': ['factor_types', 'task_types', 'preference_types', 'example_types'],
};

/** Prompts that consist of a system prompt only; the messages of the dialogue follow it. */
export const SYSTEM_ONLY_PROMPTS: ReadonlySet<PromptName> = new Set([
  'synthesis/user_simulator',
  'synthesis/assistant_simulator',
]);

/** Prompts whose system prompt is sent as the file gives it, as in the reference: no placeholders, and a doubled brace stays doubled. */
export const RAW_SYSTEM_PROMPTS: ReadonlySet<PromptName> = new Set([
  'evaluation/preference_inferrer',
  'evaluation/response_generator',
]);

/** Prompts that the reference has no file for; a pack that lacks them gets the built-in ones. */
export const EXTRA_PROMPTS: ReadonlySet<PromptName> = new Set([
  JOURNEY_PART_PROMPT,
  'evaluation/interaction_summarizer',
  'evaluation/response_generator_with_preference',
  'evaluation/error_classifier',
  'evaluation/preference_chooser',
  'verification/expression_finder',
  'verification/request_guesser',
  'verification/contradiction_finder',
]);

/** Prompt with worked examples. */
export const EXAMPLES_PROMPT: PromptName = 'evaluation/preference_matcher';

/** File of those examples in a pack's folder. The reference has no such file, so a pack may lack it. */
export const EXAMPLES_FILE = 'evaluation/preference_matcher_examples.json';
