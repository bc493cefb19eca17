import * as z from 'zod';
import { parseStream } from '../call';
import { ModelError } from '../errors/error';
import { classifyFailure, WireFailure, type Caller } from '../errors/failure';
import { parseHttpFailure } from '../errors/failure-body';
import { readLines } from '../http';
import { parseAnswer } from '../parse-answer';
import { parseChatAnswer } from '../providers/chat-completions';
import type { BatchResult } from './batch';

/** Returns the line of a file for a chat completion. */
export function renderChatRequest(customId: string, body: object): string {
  return JSON.stringify({ custom_id: customId, method: 'POST', url: CHAT_ENDPOINT, body });
}

export const CHAT_ENDPOINT = '/v1/chat/completions';

/** Files with a batch's results: answers, and errors. */
interface ResultFiles {
  readonly output_file_id?: string | null | undefined;
  readonly error_file_id?: string | null | undefined;
}

/**
 * Reads the results in the files of OpenAI and compatible providers.
 * @param read returns the content of a file
 * @throws ModelError
 */
export async function* readChatResults(
  caller: Caller,
  model: string,
  { output_file_id: output, error_file_id: failed }: ResultFiles,
  read: (file: string) => Promise<Response>,
): AsyncGenerator<BatchResult> {
  for (const file of [output, failed]) {
    if (file === undefined || file === null || file === '') continue;
    yield* parseStream(caller, readLines(await read(file)), (line) => parseResult(caller, model, line));
  }
}

const resultSchema = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.number(), body: z.unknown() }).nullish(),
  error: z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
});

function parseResult(caller: Caller, model: string, line: string): BatchResult {
  const {
    custom_id: customId,
    response,
    error,
  } = parseAnswer(resultSchema, parseJson(line), 'a line of results');
  const isAnswered = response !== undefined && response !== null && response.status_code !== 0;
  if (!isAnswered) {
    const message = error?.message ?? error?.code ?? 'no reason was given';
    return {
      customId,
      error: new ModelError('unavailable', `${caller.spec} did not answer a request: ${message}`),
    };
  }
  const { status_code: status, body } = response;
  try {
    if (status !== 200) throw new WireFailure(parseHttpFailure(status, new Headers(), JSON.stringify(body)));
    return { customId, answer: parseChatAnswer(body, model) };
  } catch (reason) {
    if (!(reason instanceof WireFailure)) throw reason;
    return { customId, error: classifyFailure(caller, reason.failure) };
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
