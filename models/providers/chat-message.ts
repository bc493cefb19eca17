import * as z from 'zod';
import { createAnswerFailure, WireFailure } from '../errors/failure';
import { readFinish } from '../finish';
import type { ModelAnswer } from '../model';

/** A part of a message: text, or an object with its type. */
export const partSchema = z.union([
  z.string(),
  z.object({ type: z.string().nullish(), text: z.unknown().optional(), refusal: z.unknown().optional() }),
]);

/** The message of a chat completion: its text as a string or in parts, and the fields where servers put reasoning. */
export const chatMessageSchema = z.object({
  content: z.union([z.string(), z.array(partSchema)]).nullish(),
  refusal: z.string().nullish(),
  reasoning: z.unknown().optional(),
  reasoning_content: z.unknown().optional(),
});

/**
 * Reads the text of a message, and how it ended.
 * @param hasAnswered whether the server has put a text into `content` before
 * @throws WireFailure if a server that never did puts its whole text elsewhere
 */
export function readChatMessage(
  message: z.infer<typeof chatMessageSchema>,
  reason: string | null | undefined,
  hasAnswered: boolean,
): Pick<ModelAnswer, 'text' | 'finish' | 'failure' | 'unknownFinish'> {
  const parts = typeof message.content === 'string' ? [message.content] : (message.content ?? []);
  const field = REASONING_FIELDS.find((name) => isText(message[name]));
  const answer = readParts(parts, reason, field !== undefined, message.refusal);
  const isMisplaced = answer.finish === 'complete' && answer.text.trim() === '' && field !== undefined;
  if (isMisplaced && !hasAnswered) throw new WireFailure(createFieldFailure(field));
  return answer;
}

/**
 * Reads the text in the parts of an answer, and how it ended.
 * @param hasReasoning whether the answer has reasoning beside its parts
 * @param ownRefusal a refusal beside the parts
 */
export function readParts(
  parts: readonly z.infer<typeof partSchema>[],
  reason: string | null | undefined,
  hasReasoning: boolean,
  ownRefusal?: string | null,
): Pick<ModelAnswer, 'text' | 'finish' | 'failure' | 'unknownFinish'> {
  const text = parts.map(getPartText).join('');
  // Some servers add an empty refusal to every answer.
  const refusal = [ownRefusal, ...parts.map(getPartRefusal)].find(isText);
  if (refusal !== undefined) return { text: text === '' ? refusal : text, finish: 'refused' };
  return { text, ...readFinish(reason, text, hasReasoning) };
}

const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Returns the text of a part; parts of other types are reasoning or references. */
function getPartText(part: z.infer<typeof partSchema>): string {
  if (typeof part === 'string') return part;
  const isTextPart = TEXT_TYPES.has(part.type ?? 'text');
  return isTextPart && typeof part.text === 'string' ? part.text : '';
}

const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'output_text']);

function getPartRefusal(part: z.infer<typeof partSchema>): string | undefined {
  return typeof part === 'object' && typeof part.refusal === 'string' ? part.refusal : undefined;
}

function createFieldFailure(field: string) {
  // A status that is not retried: only the server's options change this.
  return createAnswerFailure(
    400,
    `the answer is complete, but content is empty and the whole text is in ${field}: the server takes the answer for reasoning. ` +
      'Have it leave the text as it is: vLLM and SGLang without --reasoning-parser, llama.cpp with --reasoning-format none, ' +
      'LM Studio without separating reasoning_content, Ollama and LiteLLM with thinking switched off',
  );
}
