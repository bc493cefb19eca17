import { SpanKind, type Attributes } from '@opentelemetry/api';
import type { RequestParameters } from '../../activities/run-events';
import type { ModelAnswer } from '../../models/model';
import type { JournalEntry } from '../../schemas/run/journal';
import { formatModelName, parseModelSpec } from '../../schemas/model/model-spec';
import type { Provider } from '../../schemas/model/provider';
import type { LedgerRow, SentLine } from '../../schemas/run/ledger';
import type { WorkPlace } from './call-place';

/** Describes where a call stands in its run. */
export function describePlace(run: string, place: WorkPlace): Attributes {
  const { dialogue, ...parts } = place;
  return {
    'cupid.run': run,
    ...Object.fromEntries(Object.entries(parts).map(([name, value]) => [`cupid.${name}`, value])),
    ...(dialogue === undefined ? {} : { 'gen_ai.conversation.id': dialogue }),
  };
}

/** Describes the span of a call before it is sent, by the semantic conventions for generative AI. */
export function describeCall({ spec, step, tier = 'standard' }: SentLine): {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
} {
  const { provider, url } = parseModelSpec(spec);
  // A module's path is of this machine.
  const model = formatModelName(spec).slice(provider.length + 1);
  const server = url === undefined ? undefined : new URL(url);
  return {
    name: `chat ${model}`,
    kind: provider === 'simulated' ? SpanKind.INTERNAL : SpanKind.CLIENT,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': PROVIDER_NAMES[provider] ?? provider,
      'gen_ai.request.model': model,
      'gen_ai.output.type': 'text',
      ...(server === undefined ? {} : describeServer(server)),
      'cupid.step': step,
      'cupid.tier': tier,
    },
  };
}

/** As the conventions name them; the others keep their own. */
const PROVIDER_NAMES: Partial<Record<Provider, string>> = {
  gemini: 'gcp.gemini',
  bedrock: 'aws.bedrock',
  together: 'together_ai',
};

function describeServer({ hostname, port, protocol }: URL): Attributes {
  const standard = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? standard : Number(port) };
}

/** Describes what is asked for, without any of its text. */
export function describeRequest({ temperature, maxTokens, seed }: RequestParameters): Attributes {
  return {
    'gen_ai.request.max_tokens': maxTokens,
    'gen_ai.request.seed': seed,
    ...(temperature === 'default' ? {} : { 'gen_ai.request.temperature': temperature }),
  };
}

/** Describes what was answered, without any of its text. */
export function describeAnswer({ model, finish, usage }: JournalEntry['answer']): Attributes {
  const counts = {
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedRead,
    'gen_ai.usage.cache_creation.input_tokens': usage.cachedWrite,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoning,
  };
  return {
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': [FINISH_REASONS[finish]],
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined)),
  };
}

const FINISH_REASONS: Readonly<Record<ModelAnswer['finish'], string>> = {
  complete: 'stop',
  length: 'length',
  reasoning: 'length',
  refused: 'content_filter',
  failed: 'error',
};

/** Returns the outcome of a call that ended. */
export function getVerdict({
  calls,
  badAnswers,
  refusals,
}: LedgerRow): 'good' | 'bad' | 'refused' | 'failed' {
  if (calls === 0) return 'failed';
  if (badAnswers > 0) return 'bad';
  return refusals > 0 ? 'refused' : 'good';
}
