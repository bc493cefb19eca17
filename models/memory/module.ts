import { ModelError } from '../errors/error';
import { isRetryable } from '../../schemas/model/error-kind';
import { endSentence } from '../errors/redact';
import { openFunction, type ThrownError } from '../providers/module';
import { MessageFailure } from './error';
import type { Transport } from './messages';

/** Passes each message to the function that a file exports by default. It may reply with nothing. */
export function openModule(file: string, name: string): Transport {
  const spec = { provider: 'module', model: file, options: {} } as const;
  const createError = (thrown: ThrownError) => createThrownFailure(thrown, name);
  const ask = openFunction(spec, process.cwd(), createError, EXAMPLE);
  return {
    async send(message) {
      try {
        return { reply: (await ask(message)) ?? {} };
      } catch (error) {
        // The file cannot be loaded.
        if (!(error instanceof ModelError)) throw error;
        throw new MessageFailure('failed', error.message.replace(/^module:/, 'memory:'));
      }
    },
  };
}

const EXAMPLE = "export default async ({ type }) => (type === 'query' ? { context: '…' } : {})";

function createThrownFailure(
  { kind, status, retryAfterMs, message }: ThrownError,
  name: string,
): MessageFailure {
  const isBusy = retryAfterMs !== undefined || status === 429 || kind === 'rate-limit';
  const canRetry = (kind !== undefined && isRetryable(kind)) || (status !== undefined && status >= 500);
  return new MessageFailure(
    isBusy ? 'busy' : canRetry ? 'retryable' : 'failed',
    endSentence(`${name} failed: ${message}`),
    retryAfterMs,
  );
}
