import { parse } from 'yaml';
import type * as z from 'zod';
import { getReason } from '../../data/store/data-error';
import { readText } from '../../data/store/own-file';
import { InputError } from '../../schemas/input-error';
import { describeIssues } from '../../schemas/text/issues';
import { describeYamlProblem } from '../../schemas/text/yaml-text';

/**
 * Reads the YAML or JSON file of an option; undefined if the option names none.
 * @param purpose purpose of the file, such as `settings`
 * @param hint what such a file may contain
 * @throws InputError when it cannot be read, or has another form
 */
export async function readYamlOption<T>(
  schema: z.ZodType<T>,
  file: string | undefined,
  purpose: string,
  hint: string,
): Promise<T | undefined> {
  if (file === undefined) return undefined;
  const text = await readText(file, undefined).catch((error: unknown) => {
    throw new InputError(
      `The ${purpose} file ${file} cannot be read (${getReason(error)}). Check the path and the permission to read it.`,
    );
  });
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new InputError(
      `The ${purpose} file ${file} is neither YAML nor JSON: ${describeYamlProblem(getReason(error))}`,
    );
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new InputError(`${describeIssues(file, parsed.error, content)}\n${hint}`);
}
