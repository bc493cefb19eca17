import type { ModelFacts } from '../schemas/model/model-table';
import type { SingleTier } from '../schemas/model/tier';
import type { CacheHint, ModelAnswer, ModelRequest, Sending } from './model';
import { omitUndefined } from '../schemas/omit-undefined';

/** The parameters that are sent: those of the request that the model supports. */
export interface SentParameters {
  /** Absent: chat completions, for providers with both APIs. */
  readonly api?: 'responses';
  readonly temperature?: number;
  readonly seed?: number;
  /** Maximum tokens of the answer, including reasoning if that counts. */
  readonly tokenLimit: number;
  readonly tokenLimitName?: NonNullable<ModelFacts['tokenLimitName']>;
  readonly thinkingBudget?: number;
  readonly effort?: string;
  readonly tier?: Exclude<SingleTier, 'standard'>;
  readonly caching?: NonNullable<ModelFacts['caching']>['kind'];
  /** Absent if no other call shares a prefix. */
  readonly cache?: CacheHint;
}

/** Sends a request once, in a provider's own way. Throws as Model.ask does. */
export type Send = (
  request: ModelRequest,
  parameters: SentParameters,
  signal: AbortSignal,
) => Promise<ModelAnswer>;

/** The fields of a request that determine parameters. */
export type AskedParameters = Pick<ModelRequest, 'temperature' | 'maxTokens' | 'seed'> & {
  readonly reasoningEffort?: string | undefined;
};

/**
 * Chooses the parameters that a model accepts, by the model table and by what the run learned from rejections. Unknown parameters are
 * sent: the provider rejects what it does not take. A request's hash covers the values in the settings, not these.
 */
export function chooseParameters(
  request: AskedParameters,
  sending: Sending,
  facts: ModelFacts,
): SentParameters {
  const { tier, cache } = sending;
  const effort = hasEffort(facts) ? request.reasoningEffort : undefined;
  const temperature = chooseTemperature(request, effort, facts);
  return omitUndefined({
    api: facts.api,
    temperature,
    // The Responses API has none.
    seed: facts.seed === 'rejected' || facts.api === 'responses' ? undefined : request.seed,
    tokenLimit: chooseTokenLimit(request, effort, facts),
    tokenLimitName: facts.tokenLimitName,
    thinkingBudget: facts.thinkingBudget,
    effort,
    tier: tier === 'standard' ? undefined : tier,
    caching: facts.caching?.kind,
    cache: facts.caching?.kind === 'none' ? undefined : cache,
  });
}

/** Returns the maximum duration of a call in milliseconds. Flex answers within minutes, not seconds. */
export function computeTimeoutMs({ tier }: SentParameters, timeoutMs: number): number {
  return tier === 'flex' ? 2 * timeoutMs : timeoutMs;
}

function hasEffort({ reasoning }: ModelFacts): boolean {
  return reasoning === undefined || reasoning.efforts.length > 0;
}

function chooseTemperature(
  { temperature: requestedTemperature }: AskedParameters,
  effort: string | undefined,
  { temperature, reasoning }: ModelFacts,
): number | undefined {
  if (typeof temperature === 'number') return temperature;
  if (requestedTemperature === 'default' || temperature === 'rejected') return undefined;
  const reasons = (effort ?? reasoning?.default) !== 'none';
  return temperature === 'without-reasoning' && reasons ? undefined : requestedTemperature;
}

/**
 * Returns the limit of the visible text plus an allowance for reasoning that counts toward it, and what was added after reasoning used that up.
 * A thinking budget must be smaller than the limit, as in the reference program.
 */
function chooseTokenLimit(
  { maxTokens }: AskedParameters,
  effort: string | undefined,
  { reasoning, thinkingBudget, extraTokens = 0 }: ModelFacts,
): number {
  if (thinkingBudget !== undefined)
    return (maxTokens > thinkingBudget ? maxTokens : maxTokens + thinkingBudget) + extraTokens;
  const reasons = reasoning?.counts === true && (effort ?? reasoning.default) !== 'none';
  return maxTokens + (reasons ? (reasoning.allowance ?? 0) : 0) + extraTokens;
}
