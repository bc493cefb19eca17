import type { PromptName } from '../../../../data/prompts/files';

/** Minimal content of each prompt's file. */
export const LEAST_PROMPTS: Record<PromptName, string> = {
  'synthesis/persona_generator': 'system_prompt: describe\nuser_prompt: "{seed_descriptions}"\n',
  'synthesis/context_factors_generator': 'system_prompt: "{n_factors}"\nuser_prompt: "{user_persona}"\n',
  'synthesis/sessions_generator':
    'system_prompt: "{n_sessions} {series_structure} {first_factor} {second_factor}"\nuser_prompt: "{user_persona} {context_factors}"\n',
  'synthesis/sessions_part':
    'system_prompt: continue\nuser_prompt: "{factor_a} {factor_b} {changed_preference} {earlier_sessions} {first_session} {last_session}"\n',
  'synthesis/preference_decomposer': 'system_prompt: take apart\nuser_prompt: "{preferences}"\n',
  'synthesis/user_simulator': 'system_prompt: "{user_profile} {context_factor} {preference} {checklist}"\n',
  'synthesis/assistant_simulator': 'system_prompt: help\n',
  'evaluation/interaction_summarizer': 'system_prompt: summarize\nuser_prompt: "{interaction_log}"\n',
  'evaluation/preference_inferrer': 'system_prompt: infer\nuser_prompt: "{interaction_log} {curr_request}"\n',
  'evaluation/preference_matcher': 'system_prompt: "{examples}"\nuser_prompt: "{preference} {checklist}"\n',
  'evaluation/preference_matcher_model': 'system_prompt: match\nuser_prompt: "{preference} {checklist}"\n',
  'evaluation/response_generator':
    'system_prompt: respond\nuser_prompt: "{interaction_log} {curr_request}"\n',
  'evaluation/response_generator_with_preference':
    'system_prompt: respond\nuser_prompt: "{preference} {curr_request}"\n',
  'evaluation/response_judger':
    'system_prompt: "{preference} {checklist}"\nuser_prompt: "{user_request} {ai_response}"\n',
  'evaluation/error_classifier':
    'system_prompt: "{context_factor} {session_preferences}"\nuser_prompt: "{curr_request} {preference} {inferred_preference}"\n',
  'evaluation/preference_chooser':
    'system_prompt: choose\nuser_prompt: "{interaction_log} {curr_request} {options}"\n',
  'verification/expression_finder': 'system_prompt: find\nuser_prompt: "{checklists} {interaction_log}"\n',
  'verification/request_guesser': 'system_prompt: guess\nuser_prompt: "{curr_request}"\n',
  'verification/contradiction_finder': 'system_prompt: compare\nuser_prompt: "{pairs}"\n',
};
