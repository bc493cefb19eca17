import * as z from 'zod';
import { hashText } from '../store/files';
import type { Split } from '../../schemas/dataset/split';
import type { ChosenPersonas } from '../../schemas/evaluation/evaluation';
import type { EvaluationInputs } from '../../schemas/evaluation/evaluation-run';
import { omitUndefined } from '../../schemas/omit-undefined';
import { formatCount } from '../../schemas/text/count-text';
import { formatValue } from '../../schemas/text/value-text';
import { readJson } from '../readers/json-lines';
import { readTextLines } from '../readers/lines';
import { parseRow } from '../readers/parse-row';
import { DataError } from '../store/data-error';
import { getSplit } from './persona-split';

/** Options by which a command chooses personas. */
export interface PersonaOptions {
  readonly split?: Split;
  /** Path of a file. */
  readonly wherePersona?: string;
}

/** Personas that a command chooses: those of a split that are listed, if there is a list. */
export interface PersonaFilter {
  readonly split: Split | undefined;
  readonly list: PersonaList | undefined;
}

/** Ids of personas in a file. */
interface PersonaList {
  readonly file: string;
  /** The place of each id in the file, such as `line 3`. */
  readonly places: ReadonlyMap<string, string>;
}

/** Reads the personas that a command chooses. Returns undefined for all. @throws DataError when their file cannot be used */
export async function readPersonaFilter({
  split,
  wherePersona,
}: PersonaOptions): Promise<PersonaFilter | undefined> {
  if (split === undefined && wherePersona === undefined) return undefined;
  return { split, list: wherePersona === undefined ? undefined : await readPersonaList(wherePersona) };
}

export function isChosen({ split, list }: PersonaFilter, personaId: string): boolean {
  return (split === undefined || getSplit(personaId) === split) && (list?.places.has(personaId) ?? true);
}

/** Describes the personas in words that follow "only". */
export function describePersonaFilter({ split, list }: PersonaFilter): string {
  const listed = list && formatCount(list.places.size, 'listed persona');
  if (split === undefined) return `${listed}`;
  return listed === undefined ? `personas of the split ${split}` : `those of ${listed} in the split ${split}`;
}

/** Returns the stored form of a choice: its split, and the key under which its ids are stored. */
export function storeChosen(filter: PersonaFilter | undefined): StoredChoice {
  const { split, list } = filter ?? {};
  if (list === undefined) return { chosen: omitUndefined({ split }), lists: {} };
  const ids = [...list.places.keys()].toSorted();
  const key = hashText(JSON.stringify(ids)).slice(0, 16);
  return { chosen: omitUndefined({ split, list: key }), lists: { [key]: ids } };
}

interface StoredChoice {
  readonly chosen: ChosenPersonas;
  readonly lists: NonNullable<EvaluationInputs['lists']>;
}

/**
 * Checks that a data set has the listed personas, and any of the split.
 * @param knownIds every persona of the data set
 * @param name of the data set, for messages
 */
export function requireChosen(filter: PersonaFilter, knownIds: ReadonlySet<string>, name: string): void {
  const { split, list } = filter;
  for (const [id, place] of list?.places ?? []) {
    if (knownIds.has(id)) continue;
    throw new DataError(
      `${list?.file}, ${place}: ${name} has no persona ${formatValue(id)}. Write ids as in its column persona_id, such as ${[...knownIds].slice(0, 2).join(' or ')}.`,
    );
  }
  if ([...knownIds].some((id) => isChosen(filter, id))) return;
  const those = list?.file ?? name;
  throw new DataError(`${those} has no persona of the split ${split}. Choose another split.`);
}

/**
 * Reads ids of personas: a text with an id a line, or a JSON list. Blank lines are skipped.
 * @throws DataError that names the file and the line
 */
async function readPersonaList(file: string): Promise<PersonaList> {
  const places = new Map<string, string>();
  const add = (id: string, place: string) => places.set(id, places.get(id) ?? place);
  for await (const [number, line] of readTextLines(file, FIX)) {
    if (places.size === 0 && line.startsWith('[')) {
      for await (const row of readJson({ path: file, name: file })) {
        const place = `entry ${row.number}`;
        if ('problem' in row) throw new DataError(`${file}, ${place}: not JSON. ${FIX}`);
        add(parseRow(idSchema, row.value, `${file}, ${place}`, FIX), place);
      }
      break;
    }
    add(line, `line ${number}`);
  }
  if (places.size === 0) throw new DataError(`${file} has no persona ids. ${FIX}`);
  return { file, places };
}

const idSchema = z.string().refine((id) => id.trim() !== '', 'expected a persona id, found an empty text');

const FIX = 'Write one persona id per line, or a JSON list of persona ids.';
