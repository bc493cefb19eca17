import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { modelName } from '../schemas/model-spec';
import { pricesSchema, type Prices } from '../schemas/prices';
import { describeIssues } from '../schemas/issues';
import table from './prices/built-in.json';

/** The built-in table, used where the user gives none. It has the date of its prices. */
export function builtInPrices(): Prices {
  builtIn ??= pricesSchema.parse(table);
  return builtIn;
}

let builtIn: Prices | undefined;

/** A price table of the user cannot be used; the message names the field and how to fix it. */
export class PricesError extends Error {
  override readonly name = 'PricesError';
}

/** Reads a price table, in YAML or JSON. @throws PricesError */
export async function readPrices(file: string): Promise<Prices> {
  const content = await contentOf(file);
  const parsed = pricesFileSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new PricesError(`${describeIssues(file, parsed.error, content)}\n${HINT}`);
}

async function contentOf(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new PricesError(
      `The price table ${file} cannot be read (${reasonOf(error)}). Check the path and the permission to read it.`,
      { cause: error },
    );
  }
  try {
    // JSON is YAML as well. A date without quotes stays the text it is.
    const content: unknown = parse(text);
    return content;
  } catch (error) {
    throw new PricesError(`${file} is neither YAML nor JSON: ${reasonOf(error)}\n${HINT}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A line under another name would price no model, and nobody would notice. */
const pricesFileSchema = pricesSchema.superRefine(({ usdPerMillionTokens }, context) => {
  for (const name of Object.keys(usdPerMillionTokens)) {
    const reason = whyNoName(name);
    if (reason !== undefined) {
      context.addIssue({ code: 'custom', path: ['usdPerMillionTokens', name], message: reason });
    }
  }
});

function whyNoName(name: string): string | undefined {
  const ofServer = /^openai-compatible:(?<model>.+?)(?:@https?:.*)?$/.exec(name)?.groups;
  try {
    // Its SPEC needs an address, which the table's names never have.
    const known = ofServer === undefined ? modelName(name) : `openai-compatible:${ofServer['model'] ?? ''}`;
    return known === name ? undefined : `expected the name without address, options and folder: ${known}`;
  } catch (error) {
    return reasonOf(error);
  }
}

const HINT = `A price table has a date, a source, and prices in US dollars per million tokens by provider:model; for example:
date: 2025-07-31
source: my contract
usdPerMillionTokens:
  openai:gpt-4o: { input: 2.5, output: 10, cachedRead: 1.25 }`;
