import { createHash } from 'node:crypto';
import type { CacheHint, PrefixEnd } from '../models/model';
import type { PromptName } from '../data/prompts/files';
import { renderLeadingText, renderPrompt } from '../data/prompts/render';
import type { Message } from '../schemas/dataset/message';
import type { PromptPack } from '../schemas/run/prompts';

/**
 * For one side of a dialogue, whose every request begins with all of the one before it.
 * @param side names the dialogue and the side
 * @param constant the system prompt's text that is the same in all dialogues
 * @param goesOn whether this side may be asked again
 */
export function buildDialogueHint(
  side: readonly (string | number)[],
  messages: readonly Message[],
  { constant, goesOn }: { readonly constant: string; readonly goesOn: boolean },
): CacheHint {
  const last = messages.length - 1;
  const before = last - 2;
  return {
    key: buildKey(side),
    ends: [
      ...buildSystemPrefix(constant),
      // The end of the request before: some providers read only up to a mark.
      ...(before < 0 ? [] : [{ message: before }]),
      ...(goesOn ? [{ message: last }] : []),
    ],
  };
}

/**
 * For the two requests of a trial that show the model the same history: the longest beginning that the pack's inference and response
 * prompts have in common. Undefined where their system prompts differ, as in the authors' pack.
 * @param trial names what is shown to the model
 */
export function buildHistoryHint(
  trial: readonly (string | number)[],
  pack: PromptPack,
  values: Readonly<Record<string, string>>,
): CacheHint | undefined {
  const infer = renderPrompt(pack, 'evaluation/preference_inferrer', values);
  const respond = renderPrompt(pack, 'evaluation/response_generator', values);
  if (infer.system !== respond.system) return undefined;
  const characters = countCommonCharacters(infer.user ?? '', respond.user ?? '');
  return characters === 0 ? undefined : { key: buildKey(trial), ends: [{ message: 0, characters }] };
}

/**
 * For a prompt that many calls of a run have in common; undefined where too little of its system prompt is constant.
 * @param use names the run and what its calls are for
 * @param constants the values that are the same in all these calls
 */
export function buildSystemHint(
  use: readonly (string | number)[],
  pack: PromptPack,
  name: PromptName,
  constants: Readonly<Record<string, string>>,
): CacheHint | undefined {
  const ends = buildSystemPrefix(renderLeadingText(pack.prompts[name]?.system_prompt ?? '', constants));
  return ends.length === 0 ? undefined : { key: buildKey(use), ends };
}

function buildSystemPrefix(constant: string): PrefixEnd[] {
  return constant.length < LEAST_CHARACTERS ? [] : [{ message: 'system', characters: constant.length }];
}

/** 512 tokens, the least that any provider caches, have about as many characters. */
const LEAST_CHARACTERS = 2_000;

/** How long the beginning is that two texts share, in whole lines: tokens can span the place where texts part. */
function countCommonCharacters(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.lastIndexOf('\n', length - 1) + 1;
}

/** OpenAI rejects keys of more than 64 characters. */
function buildKey(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
