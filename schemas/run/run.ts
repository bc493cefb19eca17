import * as z from 'zod';
import { FOLDER_FORMAT } from './folder-format';
import { restartSchema } from './restart';
import { synthesisSettingsSchema } from './settings';

export const runKindSchema = z.enum(['synthesis', 'evaluation']);
export type RunKind = z.infer<typeof runKindSchema>;

/** Inputs of a run, besides its templates and prompts: `inputs/run.json` of its store. */
export const runInputsSchema = z.object({
  id: z.string(),
  settings: synthesisSettingsSchema,
  seeds: z.object({
    /** `personas`: the file has complete descriptions instead of sentences. */
    origin: z.enum(['built-in', 'personahub', 'file', 'personas']),
    /** The file's name, or `built-in`. */
    source: z.string(),
    count: z.number().int(),
    /** SHA-256 over the sentences or descriptions, hexadecimal. */
    hash: z.string(),
    /** For complete descriptions whose data set has a card: that it is simulated, and its license. */
    simulated: z.literal(true).optional(),
    license: z.string().optional(),
  }),
  prompts: z.object({ source: z.string(), hash: z.string() }),
  /** `nPersonas` at the beginning and after each time it grew; batches of descriptions never cross one of these. */
  growth: z.array(z.number().int().positive()).min(1),
  /** The restarts, in the order of their commands. */
  restarts: z.array(restartSchema),
});
export type RunInputs = z.infer<typeof runInputsSchema>;

/** Parameters with which each step's requests were finally sent; absent ones were the model's own. */
export const parametersInForceSchema = z.record(
  z.string(),
  z.object({
    temperature: z.number().optional(),
    reasoningEffort: z.string().optional(),
    /** Whether a seed was sent. */
    seed: z.boolean(),
    /** Present if the requests went to OpenAI's Responses API. */
    api: z.literal('responses').optional(),
    /** Tokens of the visible text and of the reasoning that counts with it. */
    tokenLimit: z.number().int(),
    /** Additional fields that were sent. */
    body: z.record(z.string(), z.json()).optional(),
    /** Present if a user's opening message preceded conversations that begin with the assistant. */
    assistantFirst: z.literal('rejected').optional(),
    /** Present if the system text was in the first user message. */
    systemRole: z.literal('rejected').optional(),
  }),
);
export type ParametersInForce = z.infer<typeof parametersInForceSchema>;

/** `run.json` in the run's folder: its inputs and its progress. */
export const runFileSchema = runInputsSchema.extend({
  format: z.literal(FOLDER_FORMAT),
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
      failedPersonas: z.number().int(),
      /** Complete, but left out because of a dialogue that never satisfied its user (`--require-satisfied`). */
      excludedPersonas: z.number().int(),
      instances: z.number().int(),
      unsatisfiedDialogues: z.number().int(),
    })
    .optional(),
});
export type RunFile = z.infer<typeof runFileSchema>;
