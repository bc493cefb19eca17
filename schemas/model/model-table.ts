import { z } from 'zod';
import { SINGLE_TIERS, TIERS } from './tier';

export const tierSchema = z.enum(TIERS);
export const singleTierSchema = z.enum(SINGLE_TIERS);

const usd = z.number().nonnegative();

/** Prices of a model's tokens, in US dollars per million. Where a cached price is absent, cached tokens cost what others do. */
const priceSchema = z.strictObject({
  input: usd,
  output: usd,
  cachedRead: usd.optional(),
  cachedWrite: usd.optional(),
});
export type Price = z.infer<typeof priceSchema>;

const count = z.number().int().positive();
const support = z.enum(['accepted', 'rejected']);

/** What is known of a model. An absent fact is unknown. */
export const modelFactsSchema = z.strictObject({
  /** A number: the only temperature that is ever sent. `without-reasoning`: accepted where the reasoning effort is `none`. */
  temperature: z.union([support.or(z.literal('without-reasoning')), z.number().min(0).max(2)]).optional(),
  seed: support.optional(),
  /** `rejected` where the chat template wants the first message from the user: an opening message is put before the others then. */
  assistantFirst: support.optional(),
  /** `rejected` where the chat template takes no system message: its text then stands before that of the first user message. */
  systemRole: support.optional(),
  /** The name of the limit on the tokens of an answer, in chat completions. */
  tokenLimit: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  /** Tokens that a Claude of the third generation may think, as the reference program lets it. */
  thinkingBudget: count.optional(),
  reasoning: z
    .strictObject({
      /** Values of the reasoning effort, least first; none where the model takes no effort. */
      efforts: z.array(z.string().min(1)),
      default: z.string().min(1).optional(),
      /** True when reasoning counts towards the limit on the tokens of an answer. */
      counts: z.boolean().optional(),
      /** Tokens added to the limit of the visible text, so that reasoning does not use it up. */
      allowance: count.optional(),
    })
    .optional(),
  /** Tiers that can be asked for, besides `standard`. */
  tiers: z.array(singleTierSchema.exclude(['standard'])).optional(),
  caching: z
    .strictObject({
      /**
       * `automatic`: long prefixes are cached by themselves; `marked`: a mark says where a prefix ends; `breakpoints`: as
       * `automatic`, with the ends of prefixes given explicitly.
       */
      kind: z.enum(['automatic', 'marked', 'breakpoints', 'none']),
      /** Tokens of the shortest prefix that is cached. */
      minimumTokens: count.optional(),
    })
    .optional(),
  /** Tokens of a request and its answer together. */
  contextWindow: count.optional(),
  prices: z
    .strictObject({ standard: priceSchema, flex: priceSchema.optional(), priority: priceSchema.optional() })
    .optional(),
  /** The price of a token in a batch, as a part of the standard price. */
  batchPrice: z.number().positive().max(1).optional(),
  /** The day on which its provider shuts it down. */
  retires: z.iso.date().optional(),
  /** What its provider recommends instead. */
  successor: z.string().min(1).optional(),
});
export type ModelFacts = z.infer<typeof modelFactsSchema>;

/** Facts about one model, or about all models whose names begin alike. */
export const modelEntrySchema = modelFactsSchema.extend({
  /** `provider:name`, or `provider:beginning*`; without address, options and the region of Bedrock. */
  model: z.string().min(1),
  /** The day on which the facts were looked up. */
  checked: z.iso.date(),
  /** Where they are stated. */
  source: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  /** What the facts do not say. */
  note: z.string().min(1).optional(),
});
export type ModelEntry = z.infer<typeof modelEntrySchema>;

/** Entries by precedence: where two state the same fact of a model, the later one counts. */
export const modelTableSchema = z.array(modelEntrySchema).readonly();
export type ModelTable = z.infer<typeof modelTableSchema>;

/** Entries so that more specific ones come later, and so count. */
export function sortBySpecificity(entries: ModelTable): ModelTable {
  return entries.toSorted((one, other) => computeSpecificity(one) - computeSpecificity(other));
}

function computeSpecificity({ model }: ModelEntry): number {
  return model.endsWith('*') ? model.length : Infinity;
}
