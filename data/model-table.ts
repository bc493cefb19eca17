import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_FOLDER } from './program-folder';
import { formatModelName } from '../schemas/model/model-spec';
import { sortBySpecificity, modelTableSchema, type ModelTable } from '../schemas/model/model-table';
import { describeIssues } from '../schemas/text/issues';
import { InputError } from '../schemas/input-error';
import { getReason } from './store/data-error';
import { readText } from './store/own-file';

/** Returns the model table in force for a run: the built-in entries, then the user's. */
export function buildModelTable({
  modelTable = [],
}: {
  readonly modelTable?: ModelTable | undefined;
}): ModelTable {
  return [...readBuiltInTable(), ...modelTable];
}

/** Returns the built-in entries, one file for each provider. */
export function readBuiltInTable(): ModelTable {
  builtIn ??= sortBySpecificity(
    readdirSync(FOLDER)
      .toSorted()
      .flatMap((name) => readModelEntries(join(FOLDER, name))),
  );
  return builtIn;
}

let builtIn: ModelTable | undefined;

const FOLDER = join(PROGRAM_FOLDER, 'data', 'models');

function readModelEntries(file: string): ModelTable {
  return modelTableSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** Reads entries of the user, in YAML or JSON. @throws InputError */
export async function readModelTable(file: string): Promise<ModelTable> {
  const content = await readContent(file);
  const parsed = namedEntriesSchema.safeParse(content);
  if (parsed.success) return sortBySpecificity(parsed.data);
  throw new InputError(`${describeIssues(file, parsed.error, content)}\n${HINT}`);
}

async function readContent(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readText(file, undefined);
  } catch (error) {
    throw new InputError(
      `The model table ${file} cannot be read (${getReason(error)}). Check the path and the permission to read it.`,
      { cause: error },
    );
  }
  // Loaded late, because most commands read no table of the user.
  const { default: yaml } = await import('yaml');
  try {
    // JSON is YAML too. A date without quotes stays a text.
    const content: unknown = yaml.parse(text);
    return content;
  } catch (error) {
    throw new InputError(`${file} is neither YAML nor JSON: ${getReason(error)}\n${HINT}`, {
      cause: error,
    });
  }
}

/** An entry under an unknown name would silently match no model. */
const namedEntriesSchema = modelTableSchema.superRefine((entries, context) => {
  for (const [at, { model }] of entries.entries()) {
    const reason = findNameProblem(model);
    if (reason !== undefined) context.addIssue({ code: 'custom', path: [at, 'model'], message: reason });
  }
});

function findNameProblem(pattern: string): string | undefined {
  const name = pattern.replace(/\*$/, '');
  const ofServer = /^openai-compatible:(?<model>.+?)(?:@https?:.*)?$/.exec(name)?.groups;
  try {
    // The SPEC of such a provider needs an address, which the table's names never have.
    const tableName =
      ofServer === undefined ? formatModelName(name) : `openai-compatible:${ofServer['model'] ?? ''}`;
    return tableName === name
      ? undefined
      : `expected the name without address, options and folder: ${tableName}`;
  } catch (error) {
    return getReason(error);
  }
}

const HINT = `A model table is a list of entries: a model, the day and the place its facts were looked up, and facts, such as prices in US dollars per million tokens; for example:
- model: openai:gpt-6-luna
  checked: 2026-11-22
  source: my contract
  prices: { standard: { input: 0.08, output: 0.4 } }`;
