import type { ModelRequest } from './model';

/** Tokens a claude-3-7 may think, as the reference program lets it. */
const THINKING_BUDGET = 1024;

/** What a Claude takes, at Anthropic and at Bedrock alike; also right for Bedrock's other models. */
export interface ClaudeParameters {
  readonly maxTokens: number;
  /** Absent where the model refuses one. */
  readonly temperature?: number;
  readonly thinking?: { readonly type: 'enabled'; readonly budget_tokens: number };
}

/**
 * The parameters for a model by its name: claude-3-7 thinks, at temperature 1 (the reference program); from
 * claude-opus-4-7 on, a temperature is refused ("`temperature` is deprecated for this model").
 * `max_tokens` holds the thinking too and must exceed it: a smaller wish is for the text alone.
 */
export function claudeParameters(model: string, request: ModelRequest): ClaudeParameters {
  const { maxTokens, temperature } = request;
  if (model.includes('claude-3-7')) {
    return {
      maxTokens: maxTokens > THINKING_BUDGET ? maxTokens : maxTokens + THINKING_BUDGET,
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: THINKING_BUDGET },
    };
  }
  return takesTemperature(model) ? { maxTokens, temperature } : { maxTokens };
}

/**
 * Names: claude-2…, claude-v2, claude-instant, claude-3-5-sonnet-… (number first), then claude-opus-4-6, claude-fable-5
 * (family first); `-20250514` is a date, not a minor version.
 */
function takesTemperature(model: string): boolean {
  const name = /claude-([a-z]+)(?:-(\d{1,2})(?!\d)(?:-(\d{1,2})(?!\d))?)?/.exec(model);
  if (name === null) return true;
  const [, family, major, minor] = name;
  if (family === 'instant' || family === 'v') return true;
  if (major === undefined) return false;
  return Number(major) < 4 || (Number(major) === 4 && Number(minor ?? 0) < 7);
}

/** The answer's text: its text blocks joined by a blank (the reference program); thinking is left out. */
export function joinedText(blocks: readonly (string | undefined)[]): string {
  return blocks.filter((block) => block !== undefined).join(' ');
}
