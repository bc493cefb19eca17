import { z } from 'zod';
import { restartSchema } from './restart';
import { synthesisSettingsSchema } from './settings';

export const runKindSchema = z.enum(['synthesis', 'evaluation']);
export type RunKind = z.infer<typeof runKindSchema>;

/** The engine in a run's own folder, as `run.json` calls it. */
export const EMBEDDED = 'embedded';

/** What a run was begun with, besides its templates and prompts: `inputs/run.json` of its store. */
export const runInputsSchema = z.object({
  id: z.string(),
  settings: synthesisSettingsSchema,
  seeds: z.object({
    /** `personas`: the file has ready descriptions in place of sentences. */
    origin: z.enum(['built-in', 'personahub', 'file', 'personas']),
    /** The file's name, or `built-in`. */
    source: z.string(),
    count: z.number().int(),
    /** SHA-256 over the sentences or descriptions, hexadecimal. */
    hash: z.string(),
    /** Of ready descriptions whose data set has a card: that it is simulated, and its license. */
    simulated: z.literal(true).optional(),
    license: z.string().optional(),
  }),
  prompts: z.object({ source: z.string(), hash: z.string() }),
  /** `nPersonas` at the beginning and after each time it grew: batches of descriptions never reach over one of these. */
  growth: z.array(z.number().int().positive()).min(1),
  /** The restarts, in the order of their commands. */
  restarts: z.array(restartSchema).default([]),
});
export type RunInputs = z.infer<typeof runInputsSchema>;

/** What each step's requests were sent with in the end; what is absent was the model's own. */
export const parametersInForceSchema = z.record(
  z.string(),
  z.object({
    temperature: z.number().optional(),
    reasoningEffort: z.string().optional(),
    /** Whether a seed was sent. */
    seed: z.boolean(),
    /** Tokens of the visible text and of the reasoning that counts with it. */
    tokenLimit: z.number().int(),
    /** Further fields that were sent. */
    body: z.record(z.string(), z.json()).optional(),
    /** True where an opening message of the user was put before conversations that begin with the assistant. */
    openingMessage: z.literal(true).optional(),
    /** True where the system text stood in the first user message. */
    systemInUserMessage: z.literal(true).optional(),
  }),
);
export type ParametersInForce = z.infer<typeof parametersInForceSchema>;

/** `run.json` in the run's folder: what it is, and how far. */
export const runFileSchema = runInputsSchema.extend({
  format: z.literal(1),
  kind: z.literal('synthesis'),
  codeVersion: z.string(),
  /** The engine that the run was last started on: `embedded`, or a cluster's address and namespace. */
  engine: z.string(),
  state: z.enum(['running', 'finished']),
  simulated: z.boolean(),
  /** Present once finished. */
  parameters: parametersInForceSchema.optional(),
  /** Present once finished. */
  counts: z
    .object({
      personas: z.number().int(),
      failed: z.number().int(),
      /** Complete, but left out for a dialogue that never satisfied its user (`--require-satisfied`). */
      leftOut: z.number().int(),
      instances: z.number().int(),
      unsatisfiedDialogues: z.number().int(),
    })
    .optional(),
});
export type RunFile = z.infer<typeof runFileSchema>;
