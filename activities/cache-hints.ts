import { hashText } from '../data/store/files';
import type { CacheHint, PrefixEnd } from '../models/model';
import type { PromptName } from '../data/prompts/files';
import { renderLeadingText, renderPrompt } from '../data/prompts/render';
import type { Message } from '../schemas/dataset/message';
import type { PromptPack } from '../schemas/run/prompts';
import type { Question } from './ask-model';

/**
 * Builds the hint for one side of a dialogue, each of whose requests extends the one before.
 * @param side names the dialogue and the side
 * @param constant the system prompt's text that is the same in all dialogues
 * @param goesOn whether this side may be called again
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
      // The end of the request before, because some providers read only up to a mark.
      ...(before < 0 ? [] : [{ message: before }]),
      ...(goesOn ? [{ message: last }] : []),
    ],
  };
}

/**
 * Builds the hint for a request that shows a history; undefined if it shares nothing.
 * @param history names what is shown to the model
 * @param request with the values of its prompt
 * @param shared.isRepeated whether other requests show the whole history
 * @param shared.beginnings with which the histories of other requests begin as well
 */
export function buildHistoryHint(
  history: readonly (string | number)[],
  pack: PromptPack,
  request: HistoryQuestion,
  { isRepeated, beginnings }: { readonly isRepeated: boolean; readonly beginnings: readonly string[] },
): CacheHint | undefined {
  const log = request.values['interaction_log'] ?? '';
  const start = request.messages[0]?.content.indexOf(log) ?? -1;
  const ends = new Set([
    ...(start < 0
      ? []
      : beginnings.map((text) => start + text.length).filter((end) => end >= LEAST_CHARACTERS)),
    ...(isRepeated ? findHistoryEnd(pack, request) : []),
  ]);
  if (ends.size === 0) return undefined;
  return { key: buildKey(history), ends: [...ends].map((characters) => ({ message: 0, characters })) };
}

type HistoryQuestion = Pick<Question, 'system' | 'messages' | 'values'>;

/**
 * Finds the end of the history in the requests of a trial: the longest common beginning of the pack's inference and response prompts. Empty if
 * their system prompts differ, as in the authors' pack, and for another prompt that does not begin so.
 */
function findHistoryEnd(
  pack: PromptPack,
  { system, messages: [message], values }: HistoryQuestion,
): number[] {
  const infer = renderPrompt(pack, 'evaluation/preference_inferrer', values);
  const respond = renderPrompt(pack, 'evaluation/response_generator', values);
  if (infer.system !== respond.system || system !== infer.system) return [];
  const characters = countCommonCharacters(infer.user ?? '', respond.user ?? '');
  const isShared = message?.content.startsWith((infer.user ?? '').slice(0, characters)) === true;
  return characters === 0 || !isShared ? [] : [characters];
}

/**
 * Builds the hint for a prompt that many calls of a run share; undefined if too little of its system prompt is constant.
 * @param use names the run and the purpose of its calls
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

/** Approximate characters of 512 tokens, the least that any provider caches. */
const LEAST_CHARACTERS = 2_000;

/** Counts the common beginning of two texts in whole lines, because tokens can span the place where they diverge. */
function countCommonCharacters(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.lastIndexOf('\n', length - 1) + 1;
}

/** Builds a key of at most 64 characters, because OpenAI rejects longer ones. */
function buildKey(parts: readonly (string | number)[]): string {
  return hashText(JSON.stringify(parts)).slice(0, 32);
}
