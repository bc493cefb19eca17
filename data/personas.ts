import { basename, dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import {
  personaDescriptionSchema,
  personaSchema,
  personaTemplateSchema,
  type Persona,
} from '../schemas/dataset/persona';
import { isObject } from '../schemas/is-object';
import { formatValue } from '../schemas/text/value-text';
import { deriveLicense } from './card/licenses';
import type { Card } from './card/read';
import { readCsvRows } from './readers/csv';
import { readColumnNames } from './readers/file-columns';
import { findFormat, READABLE } from './readers/formats';
import type { BadLine } from './readers/json-lines';
import { parseRow } from './readers/parse-row';
import { findTextProblem } from './readers/plain-text';
import type { Row } from './readers/row';
import { getRowWord, readFileRows } from './readers/rows';
import { hashFile } from './store/files';
import { createReadError, DataError } from './store/data-error';
import { CARD, findCard } from './folders/folder';
import { matchPatterns } from './folders/glob';

/** Descriptions of personas that the user provides, and their origin. */
export interface ReadyPersonas {
  readonly origin: 'personas';
  /** Path of the file as the user gave it. */
  readonly source: string;
  /** Numbered from 1 in the file's order, without repeats. */
  readonly personas: readonly Persona[];
  /** True when the card of the file's data set says that it is simulated. */
  readonly simulated?: true | undefined;
  /** License of data made from these personas, if that card names one. */
  readonly license?: string | undefined;
}

/**
 * Reads persona descriptions: JSON lines, Parquet, Arrow or CSV with `description` and `occupation`, or with both in a field `persona` as
 * in CUPID-Raw. A row that has all fields of a template (paper, table 5) keeps them.
 * @throws DataError that names file, row and field, what was expected and what was found
 */
export async function readPersonas(file: string): Promise<ReadyPersonas> {
  const personas: Persona[] = [];
  const rowOf = new Map<string, number>();
  const { word, rows } = await openRows(file);
  for await (const row of rows) {
    const place = `${file}, ${word} ${row.number}`;
    if ('problem' in row) throw new DataError(`${place}: ${row.problem}`);
    const persona = parsePersona(row.value, place, personas.length + 1);
    const first = rowOf.get(persona.description);
    if (first !== undefined) {
      throw new DataError(
        `${place}, field description: expected a persona of its own, found the description of ${word} ${first}. Delete one of the two.`,
      );
    }
    rowOf.set(persona.description, row.number);
    personas.push(persona);
  }
  if (personas.length === 0) throw new DataError(`${file} contains no persona. ${FORM}`);
  const { simulated, license } = (await findCardOf(file)) ?? {};
  return {
    origin: 'personas',
    source: file,
    personas,
    ...(simulated && { simulated }),
    ...(license !== undefined && { license: deriveLicense(license) }),
  };
}

/** Finds the card of the data set that a file belongs to: beside it, or in the folder above if that card names the file. */
async function findCardOf(file: string): Promise<Card | undefined> {
  const folder = dirname(resolve(file));
  const cardBeside = await findCard(folder);
  if (cardBeside !== undefined) return cardBeside;
  const parent = dirname(folder);
  const card = await findCard(parent);
  const namedFiles = matchPatterns(join(parent, CARD), card?.files ?? [], [
    `${basename(folder)}/${basename(file)}`,
  ]);
  return namedFiles.flat().length === 0 ? undefined : card;
}

const FORM =
  'Each row needs description (who the person is, in about six sentences) and occupation: {"description":"…","occupation":"…"}.';

async function openRows(
  file: string,
): Promise<{ readonly word: 'row' | 'line'; readonly rows: AsyncIterable<Row | BadLine> }> {
  if (/\.csv$/i.test(file)) return { word: 'row', rows: readCsvRows(file, REQUIRED) };
  if (findFormat(file) === undefined) {
    throw new DataError(
      `${file} cannot be read as personas: its name must end in .csv, ${READABLE}. ${FORM}`,
    );
  }
  const wholeFile = { path: file, name: file, ...(await hashReadable(file)) };
  const columns = await readColumnNames(wholeFile);
  const neededColumns = columns.includes('persona')
    ? ['persona']
    : [...REQUIRED, ...OPTIONAL.filter((name) => columns.includes(name))];
  return { word: getRowWord(wholeFile), rows: readFileRows(wholeFile, neededColumns) };
}

async function hashReadable(file: string): ReturnType<typeof hashFile> {
  try {
    return await hashFile(file);
  } catch (error) {
    throw createReadError(file, error);
  }
}

const REQUIRED = Object.keys(personaDescriptionSchema.shape);

const { id: _, ...template } = personaTemplateSchema.shape;
const OPTIONAL = Object.keys(template);

/** Longest occupation, which becomes part of the names of the persona's files. */
const MAX_OCCUPATION = 100;
/** Ten times the length that a model writes. */
const MAX_DESCRIPTION = 20_000;

const descriptionSchema = z.object({
  description: buildTextSchema(MAX_DESCRIPTION, 'one description'),
  occupation: buildTextSchema(MAX_OCCUPATION, 'an occupation').refine(
    (text) => !/[\n\t]/.test(text),
    'expected an occupation on one line',
  ),
});

function buildTextSchema(longest: number, subject: string) {
  return z
    .string()
    .trim()
    .min(1)
    .superRefine((text, context) => {
      const problem = findTextProblem(text, longest, subject);
      if (problem !== undefined)
        context.addIssue({ code: 'custom', message: `expected plain text, found ${problem}` });
    });
}

function parsePersona(value: unknown, place: string, id: number): Persona {
  const fields = isObject(value) && isObject(value['persona']) ? value['persona'] : value;
  const where = fields === value ? place : `${place}, field persona`;
  const described = parseRow(descriptionSchema, fields, where, FORM);
  const presentFields = isObject(fields) ? OPTIONAL.filter((name) => !isEmptyValue(fields[name])) : [];
  if (presentFields.length === 0) return personaSchema.parse({ ...NO_TEMPLATE, id, ...described });
  const missing = OPTIONAL.filter((name) => !presentFields.includes(name));
  if (missing.length > 0) {
    throw new DataError(
      `${where}, field ${missing[0] ?? ''}: expected a value, because the row has ${formatValue(presentFields[0])}, found nothing. Give all of ${OPTIONAL.join(', ')}, or none of them.`,
    );
  }
  const templateFields = parseRow(
    z.object(template),
    fields,
    where,
    `Give all of ${OPTIONAL.join(', ')}, or none of them.`,
  );
  return personaSchema.parse({ ...templateFields, id, ...described });
}

const NO_TEMPLATE = {
  seed: '',
  career_level: '',
  personality_traits: [],
  personal_values: [],
  decision_making_styles: '',
} satisfies Partial<Persona>;

/** Returns whether a table's value stands for nothing. */
function isEmptyValue(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
