/** The prompts synthesis needs; each is a file of that name in a pack's folder. */
export const PROMPT_NAMES = [
  'synthesis/persona_generator',
  'synthesis/context_factors_generator',
  'synthesis/sessions_generator',
  'synthesis/preference_decomposer',
  'synthesis/user_simulator',
  'synthesis/assistant_simulator',
] as const;
export type PromptName = (typeof PROMPT_NAMES)[number];

/** The placeholders each prompt must hold, in either of its two texts, and may hold no others besides. */
export const SYNTHESIS_PROMPTS = {
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
  'synthesis/preference_decomposer': ['preferences'],
  'synthesis/user_simulator': ['user_profile', 'context_factor', 'preference', 'checklist'],
  'synthesis/assistant_simulator': [],
} as const satisfies Record<PromptName, readonly string[]>;

/** The prompts that only set a system prompt; the messages of the dialogue are all that follows it. */
export const SYSTEM_ONLY_PROMPTS: ReadonlySet<PromptName> = new Set([
  'synthesis/user_simulator',
  'synthesis/assistant_simulator',
]);
