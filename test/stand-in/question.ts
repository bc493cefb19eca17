import type { ModelRequest } from '../../models/model';
import {
  EVALUATION_PROMPT_NAMES,
  JOURNEY_PART_PROMPT,
  listSynthesisPrompts,
  RAW_SYSTEM_PROMPTS,
  VERIFICATION_PROMPT_NAMES,
  type PromptName,
} from '../../data/prompts/files';
import { loadPromptPack } from '../../data/prompts/load';
import { parseTemplate } from '../../data/prompts/render';
import type { Message } from '../../schemas/dataset/message';
import { MOST_SESSIONS } from '../../schemas/run/journey-parts';
import type { Prompt } from '../../schemas/run/prompts';
import type { Step } from '../../schemas/run/step';
import { removeCorrections } from '../../models/simulated/dialogue-plan';

/** Content of a rendered prompt: the step, and its values. */
export type Question = Pick<ModelRequest, 'step' | 'values' | 'form'>;

/** Recognizes the question of a rendered prompt by its text alone; undefined if no prompt of the pack fits. */
export type QuestionReader = (system: string, messages: readonly Message[]) => Question | undefined;

/** Opens a reader of questions rendered from a pack, the built-in one by default. It converts the templates to regular expressions. */
export async function openQuestionReader(folder?: string): Promise<QuestionReader> {
  const names = [
    ...listSynthesisPrompts(MOST_SESSIONS),
    ...EVALUATION_PROMPT_NAMES,
    ...VERIFICATION_PROMPT_NAMES,
  ];
  const pack = await loadPromptPack(folder, names);
  const getPrompt = (name: PromptName): Prompt => {
    const prompt: Prompt | undefined = pack.prompts[name];
    if (prompt === undefined) throw new Error(`The prompt pack "${pack.source}" lacks ${name}.`);
    return prompt;
  };
  const part = joinTexts(getPrompt('synthesis/sessions_generator'), getPrompt(JOURNEY_PART_PROMPT));
  const readers = [
    { step: 'journey' as Step, match: promptMatcher(part, false) },
    ...PROMPT_STEPS.map(([name, step]) => ({
      step,
      match: promptMatcher(getPrompt(name), RAW_SYSTEM_PROMPTS.has(name)),
    })),
  ];
  return (system, messages) => {
    const [first] = removeCorrections(messages);
    for (const { step, match } of readers) {
      const values = match(system, first?.content ?? '');
      if (values !== undefined) return { step, values, form: CHATS.has(step) ? 'chat' : 'prompt' };
    }
    return undefined;
  };
}

/** Joins the texts of two prompts, as a part of a long journey is asked for. */
function joinTexts(first: Prompt, second: Prompt): Prompt {
  return {
    system_prompt: `${first.system_prompt}\n\n${second.system_prompt}`,
    user_prompt: `${first.user_prompt ?? ''}\n\n${second.user_prompt ?? ''}`,
  };
}

/** Evaluation's `decompose` has the very words of `checklist`, and the same answer. */
const PROMPT_STEPS: readonly (readonly [PromptName, Step])[] = [
  ['synthesis/persona_generator', 'describe'],
  ['synthesis/context_factors_generator', 'factors'],
  ['synthesis/sessions_generator', 'journey'],
  ['synthesis/preference_decomposer', 'checklist'],
  ['synthesis/user_simulator', 'user'],
  ['synthesis/assistant_simulator', 'assistant'],
  ['evaluation/interaction_summarizer', 'summarize'],
  ['evaluation/preference_inferrer', 'infer'],
  ['evaluation/preference_matcher', 'match'],
  ['evaluation/preference_matcher_model', 'match'],
  ['evaluation/preference_chooser', 'choose'],
  ['evaluation/response_generator', 'respond'],
  ['evaluation/response_generator_with_preference', 'respond'],
  ['evaluation/response_judger', 'judge'],
  ['evaluation/error_classifier', 'classify'],
  ['verification/expression_finder', 'express'],
  ['verification/request_guesser', 'guess'],
  ['verification/contradiction_finder', 'contradict'],
];

const CHATS: ReadonlySet<Step> = new Set(['user', 'assistant']);

type Values = Readonly<Record<string, string>>;

function promptMatcher(
  prompt: Prompt,
  rawSystem: boolean,
): (system: string, user: string) => Values | undefined {
  const system = rawSystem ? wholeText(prompt.system_prompt) : templatePattern(prompt.system_prompt);
  const user = prompt.user_prompt === undefined ? undefined : templatePattern(prompt.user_prompt);
  return (systemText, userText) => {
    const inSystem = system.exec(systemText);
    if (inSystem === null) return undefined;
    const inUser = user?.exec(userText);
    return inUser === null ? undefined : { ...inSystem.groups, ...inUser?.groups };
  };
}

function wholeText(text: string): RegExp {
  return new RegExp(`^${literal(text)}$`);
}

/** Builds a pattern of a rendered template; every placeholder is a group of its name, with the same value at all places. */
function templatePattern(template: string): RegExp {
  const { parts, problems } = parseTemplate(template);
  if (problems.length > 0) throw new Error(`The prompt cannot be read: ${problems.join('; ')}.`);
  const known = new Set<string>();
  const source = parts.map((part) => {
    if ('text' in part) return literal(part.text);
    if (known.has(part.placeholder)) return String.raw`\k<${part.placeholder}>`;
    known.add(part.placeholder);
    return `(?<${part.placeholder}>[^]*?)`;
  });
  return new RegExp(`^${source.join('')}$`);
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
