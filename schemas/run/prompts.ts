import * as z from 'zod';
import { matchLabelSchema } from '../matching/match-label';

/** Content of a prompt file: Python `str.format` templates, in the reference's file format. */
const promptSchema = z.object({
  system_prompt: z.string(),
  user_prompt: z.string().optional(),
});
export type Prompt = z.infer<typeof promptSchema>;

const exampleTextSchema = z.string().refine((text) => text.trim() !== '', 'must not be blank');

/** A worked example for the matcher: a preference, and how far it covers each entry of a checklist (paper, figure 14). */
export const matcherExampleSchema = z.object({
  preference: exampleTextSchema,
  checklist: z.array(z.object({ entry: exampleTextSchema, label: matchLabelSchema })).min(1),
});
export type MatcherExample = z.infer<typeof matcherExampleSchema>;

/** The prompts of a run, stored with it, so that continuing it sends the same requests. */
export const promptPackSchema = z.object({
  /** `built-in`, or the folder that it was read from. */
  source: z.string(),
  /** SHA-256 over names and contents, hexadecimal. */
  hash: z.string(),
  prompts: z.record(z.string(), promptSchema),
  /** Examples for the matcher, in a pack for evaluation. */
  matcherExamples: z.array(matcherExampleSchema).optional(),
  /** Files that the folder lacked and that come from the built-in pack. */
  builtIn: z.array(z.string()).optional(),
});
export type PromptPack = z.infer<typeof promptPackSchema>;

/** The source of the prompt pack that is used if no folder is given. */
export const BUILT_IN_PROMPTS = 'built-in';
