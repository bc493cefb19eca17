import * as z from 'zod';
import { SINGLE_TIERS, TIERS } from './tier';

export const tierSchema = z.enum(TIERS);
export const singleTierSchema = z.enum(SINGLE_TIERS);

const usd = z.number().nonnegative();

/** Prices of a model's tokens, in US dollars per million. Without a cached price, cached tokens cost the same as others. */
const priceSchema = z.strictObject({
  input: usd,
  output: usd,
  cachedRead: usd.optional(),
  cachedWrite: usd.optional(),
});
export type Price = z.infer<typeof priceSchema>;

const count = z.number().int().positive();
const support = z.enum(['accepted', 'rejected']);

/** Known facts of a model. Absent facts are unknown. */
export const modelFactsSchema = z.strictObject({
  /** A number: the only temperature that is sent. `without-reasoning`: accepted if the reasoning effort is `none`. */
  temperature: z.union([support.or(z.literal('without-reasoning')), z.number().min(0).max(2)]).optional(),
  seed: support.optional(),
  /** `rejected` if the chat template requires the first message to be the user's: an opening message then precedes the others. */
  assistantFirst: support.optional(),
  /** `rejected` if the chat template accepts no system message: its text then precedes that of the first user message. */
  systemRole: support.optional(),
  /** `responses` if OpenAI serves the model in its Responses API only; absent: in chat completions. */
  api: z.literal('responses').optional(),
  /** Name of the limit on the tokens of an answer, in chat completions. */
  tokenLimitName: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  /** Tokens that a Claude of the third generation may think, as set by the reference program. */
  thinkingBudget: count.optional(),
  reasoning: z
    .strictObject({
      /** Values of the reasoning effort, lowest first; none if the model supports no effort. */
      efforts: z.array(z.string().min(1)),
      default: z.string().min(1).optional(),
      /** True if reasoning counts toward the limit on the tokens of an answer. */
      counts: z.boolean().optional(),
      /** Tokens added to the limit of the visible text as room for reasoning. */
      allowance: count.optional(),
    })
    .optional(),
  /** Tokens added to every limit, learned when reasoning used one up; 0 if the model does not accept more. */
  extraTokens: z.number().int().nonnegative().optional(),
  /** Tiers that can be requested, besides `standard`. */
  tiers: z.array(singleTierSchema.exclude(['standard'])).optional(),
  caching: z
    .strictObject({
      /**
       * `automatic`: long prefixes are cached by themselves; `marked`: a mark shows where a prefix ends; `breakpoints`: as `automatic`, with the
       * ends of prefixes given explicitly.
       */
      kind: z.enum(['automatic', 'marked', 'breakpoints', 'none']),
      /** Minimum tokens of a cached prefix. */
      minimumTokens: count.optional(),
    })
    .optional(),
  /** Maximum tokens of a request and its answer together. */
  contextWindow: count.optional(),
  prices: z
    .strictObject({ standard: priceSchema, flex: priceSchema.optional(), priority: priceSchema.optional() })
    .optional(),
  /** Price of a token in a batch, as a fraction of the standard price. */
  batchPriceShare: z.number().positive().max(1).optional(),
  /** Day on which its provider shuts it down. */
  retires: z.iso.date().optional(),
  /** The model that its provider recommends instead. */
  successor: z.string().min(1).optional(),
});
export type ModelFacts = z.infer<typeof modelFactsSchema>;

/** Facts about one model, or about all models whose names begin in the same way. */
export const modelEntrySchema = modelFactsSchema.extend({
  /** `provider:name`, or `provider:beginning*`; without address, options and the region of Bedrock. */
  model: z.string().min(1),
  /** Day on which the facts were looked up. */
  checked: z.iso.date(),
  /** Sources of the facts. */
  source: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  /** Additional information beyond the facts. */
  note: z.string().min(1).optional(),
});
export type ModelEntry = z.infer<typeof modelEntrySchema>;

/** Entries by precedence: if two state the same fact of a model, the later one counts. */
export const modelTableSchema = z.array(modelEntrySchema).readonly();
export type ModelTable = z.infer<typeof modelTableSchema>;

/** Sorts entries so that more specific ones come later, which gives them precedence. */
export function sortBySpecificity(entries: ModelTable): ModelTable {
  return entries.toSorted((a, b) => computeSpecificity(a) - computeSpecificity(b));
}

function computeSpecificity({ model }: ModelEntry): number {
  return model.endsWith('*') ? model.length : Infinity;
}
