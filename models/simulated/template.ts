import { parse } from 'yaml';
import { z } from 'zod';

const templateSchema = z.object({
  seed: z.string(),
  career_level: z.string().default(''),
  personality_traits: z.array(z.string()).default([]),
  personal_values: z.array(z.string()).default([]),
  decision_making_styles: z.string().default(''),
});

/** What the describe step knows of a persona. */
export type Template = z.infer<typeof templateSchema>;

/** A line `k. {…}`; anything else is taken as a seed sentence alone, because a prompt pack may lay templates out its own way. */
export function readTemplate(line: string): Template {
  const text = line.replace(/^\s*(?:\d+\.|-)\s*/, '');
  return templateSchema.parse(text.startsWith('{') ? parse(convertToYaml(text)) : { seed: text });
}

/** A Python literal as YAML, which has the same flow style and, in double quotes, the same escapes. */
function convertToYaml(literal: string): string {
  return literal.replaceAll(
    /'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"/g,
    (_, single: string | undefined, double: string | undefined) =>
      `"${(single ?? double ?? '').replaceAll(/\\'/g, "'").replaceAll(/(?<!\\)"/g, '\\"')}"`,
  );
}
