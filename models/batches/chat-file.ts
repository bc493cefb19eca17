import * as z from 'zod';
import { parseStream } from '../call';
import { classifyFailure, WireFailure, type Caller } from '../errors/failure';
import { parseHttpFailure } from '../errors/failure-body';
import { readBodyLines } from '../http';
import type { ModelAnswer } from '../model';
import { parseAnswer } from '../parse-answer';
import { parseChatAnswer } from '../providers/chat-completions';
import type { BatchResult } from './batch';
import { readResult } from './calls';

/** Returns the line of a file for one request. */
export function renderRequest(customId: string, body: object, url: BatchEndpoint = CHAT_ENDPOINT): string {
  return JSON.stringify({ custom_id: customId, method: 'POST', url, body });
}

export const CHAT_ENDPOINT = '/v1/chat/completions';
export const RESPONSES_ENDPOINT = '/v1/responses';
type BatchEndpoint = typeof CHAT_ENDPOINT | typeof RESPONSES_ENDPOINT;

/** Returns the endpoint of the requests in a file, which is the same for all. */
export function readEndpoint(lines: string): BatchEndpoint {
  const [first = ''] = lines.split('\n', 1);
  return lineSchema.parse(JSON.parse(first)).url;
}

const lineSchema = z.object({ url: z.enum([CHAT_ENDPOINT, RESPONSES_ENDPOINT]) });

/** Files with a batch's results: answers, and errors. */
interface ResultFiles {
  readonly output_file_id?: string | null | undefined;
  readonly error_file_id?: string | null | undefined;
}

/**
 * Reads the results in the files of OpenAI and compatible providers.
 * @param read returns the content of a file
 * @param parseBody parses an answer
 * @throws ModelError
 */
export async function* readResults(
  caller: Caller,
  model: string,
  { output_file_id: output, error_file_id: failed }: ResultFiles,
  read: (file: string) => Promise<Response>,
  parseBody: (body: unknown, model: string) => ModelAnswer = parseChatAnswer,
): AsyncGenerator<BatchResult> {
  for (const file of [output, failed]) {
    if (file === undefined || file === null || file === '') continue;
    yield* parseStream(caller, readBodyLines(await read(file)), (line) =>
      parseResult(caller, line, (body) => parseBody(body, model)),
    );
  }
}

const resultSchema = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.number(), body: z.unknown() }).nullish(),
  error: z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
});

function parseResult(caller: Caller, line: string, parseBody: (body: unknown) => ModelAnswer): BatchResult {
  const {
    custom_id: customId,
    response,
    error,
  } = parseAnswer(resultSchema, parseJsonOrText(line), 'a line of results');
  const isAnswered = response !== undefined && response !== null && response.status_code !== 0;
  if (!isAnswered) {
    const labels = [error?.code].filter((code) => typeof code === 'string');
    const message = error?.message ?? 'no reason was given';
    // Most expired, or were cancelled.
    const failure = { status: 503, how: 'did not answer a request of a batch', labels, message };
    return { customId, error: classifyFailure(caller, failure) };
  }
  const { status_code: status, body } = response;
  return readResult(caller, customId, () => {
    if (status !== 200) throw new WireFailure(parseHttpFailure(status, new Headers(), JSON.stringify(body)));
    return parseBody(body);
  });
}

function parseJsonOrText(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
