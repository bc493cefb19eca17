import type { ModelFacts } from '../schemas/model/model-table';
import type { SingleTier } from '../schemas/model/tier';
import type { CacheHint, ModelAnswer, ModelRequest, Sending } from './model';
import { omitUndefined } from '../schemas/omit-undefined';

/** The parameters that a request goes out with: what was asked for, as far as the model takes it. */
export interface SentParameters {
  readonly temperature?: number;
  readonly seed?: number;
  /** Most tokens of the answer, reasoning included where that counts. */
  readonly tokenLimit: number;
  readonly tokenLimitName?: NonNullable<ModelFacts['tokenLimit']>;
  readonly thinkingBudget?: number;
  readonly effort?: string;
  readonly tier?: Exclude<SingleTier, 'standard'>;
  readonly caching?: NonNullable<ModelFacts['caching']>['kind'];
  /** Absent for a call whose prefix no other call reads. */
  readonly cache?: CacheHint;
}

/** A provider's own way to send a request, once. Throws as Model.ask does. */
export type Send = (
  request: ModelRequest,
  parameters: SentParameters,
  signal: AbortSignal,
) => Promise<ModelAnswer>;

/** What of a request asks for parameters. */
type AskedParameters = Pick<ModelRequest, 'temperature' | 'maxTokens' | 'seed'> & {
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
    temperature,
    seed: facts.seed === 'rejected' ? undefined : request.seed,
    tokenLimit: chooseTokenLimit(request, sending, effort, facts),
    tokenLimitName: facts.tokenLimit,
    thinkingBudget: facts.thinkingBudget,
    effort,
    tier: tier === 'standard' ? undefined : tier,
    caching: facts.caching?.kind,
    cache: facts.caching?.kind === 'none' ? undefined : cache,
  });
}

/** How long a call may take, in milliseconds: flex answers within minutes, not seconds. */
export function computeTimeoutMs({ tier }: SentParameters, timeoutMs: number): number {
  return tier === 'flex' ? 2 * timeoutMs : timeoutMs;
}

function hasEffort({ reasoning }: ModelFacts): boolean {
  return reasoning === undefined || reasoning.efforts.length > 0;
}

function chooseTemperature(
  { temperature: wanted }: AskedParameters,
  effort: string | undefined,
  { temperature, reasoning }: ModelFacts,
): number | undefined {
  if (typeof temperature === 'number') return temperature;
  if (wanted === 'default' || temperature === 'rejected') return undefined;
  const reasons = (effort ?? reasoning?.default) !== 'none';
  return temperature === 'without-reasoning' && reasons ? undefined : wanted;
}

/**
 * Returns the limit of the visible text, and room for the reasoning that counts towards it: twice as much after each ask of the same sample that
 * used it up. A thinking budget must be smaller than the limit, as the reference program has it.
 */
function chooseTokenLimit(
  { maxTokens }: AskedParameters,
  { exhausted = 0 }: Sending,
  effort: string | undefined,
  { reasoning, thinkingBudget }: ModelFacts,
): number {
  if (thinkingBudget !== undefined) {
    return (
      (maxTokens > thinkingBudget ? maxTokens : maxTokens + thinkingBudget) +
      computeExtra(thinkingBudget, exhausted)
    );
  }
  const reasons = reasoning?.counts === true && (effort ?? reasoning.default) !== 'none';
  const allowance = reasons ? (reasoning.allowance ?? 0) : 0;
  return maxTokens + allowance + computeExtra(Math.max(allowance, maxTokens), exhausted);
}

function computeExtra(tokens: number, exhausted: number): number {
  return tokens * (2 ** exhausted - 1);
}
