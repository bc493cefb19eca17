import { z } from 'zod';

/** A prompt file's content: Python `str.format` templates, in the reference's file form. */
export const promptSchema = z.object({
  system_prompt: z.string(),
  user_prompt: z.string().optional(),
});
export type Prompt = z.infer<typeof promptSchema>;

/** The prompts of a run, as it was started with: kept with the run, so that continuing it asks the same. */
export const promptPackSchema = z.object({
  /** `built-in`, or the folder it was read from. */
  source: z.string(),
  /** SHA-256 over names and contents, hexadecimal. */
  hash: z.string(),
  prompts: z.record(z.string(), promptSchema),
});
export type PromptPack = z.infer<typeof promptPackSchema>;
