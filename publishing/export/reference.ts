import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildJsonConfigurations, type JsonConfiguration } from '../../data/card/dataset-info';
import { withCanary } from '../../data/card/edit';
import { renderFrontMatter } from '../../data/card/front-matter';
import { formatCode } from '../../data/card/markdown';
import type { Marks } from '../../data/marks/marks';
import { DataError } from '../../data/store/data-error';
import { CARD } from '../../data/folders/folder';
import { writeTextPart } from '../../data/store/new-folder';
import { writeSynced } from '../../data/store/store';
import { INSTANCE_COLUMNS, PERSONA_COLUMNS } from '../../data/tables/columns';
import { formatPythonJson } from '../../data/prompts/python-json';
import { buildStoredOpening } from '../../rules/dialogue/messages';
import { buildPersonaId } from '../../rules/instances/persona-id';
import type { Instance } from '../../schemas/dataset/instance';
import type { ExportReport, WrittenPart } from '../../schemas/dataset/export';
import type { RecordForm } from '../../schemas/dataset/record';
import { omitUndefined } from '../../schemas/omit-undefined';
import { listPresent } from '../../schemas/text/list-present';
import { normalizeName, LAYOUT } from '../reference-layout';

/**
 * Writes records as the reference program keeps them, JSON as Python writes it: `personas.json` and `data/{persona_id}.json`. From
 * the last interaction of a file that program takes the request of the persona's instances, so the last session gets one here.
 * @throws DataError when a persona is not named by its number and occupation, or named as another one
 */
export async function writeReferenceRecords(
  folder: string,
  records: AsyncIterable<RecordForm>,
): Promise<WrittenFolder> {
  const names = new FileNames();
  const personas: RecordForm['persona'][] = [];
  let bytes = 0;
  await mkdir(join(folder, LAYOUT.data));
  for await (const { persona_id: id, persona, context_factors, sessions, interactions } of records) {
    requireDerived(id, persona);
    const storedSessions = sessions.map(({ resource, checklist, ...session }) => ({
      ...session,
      ...(typeof resource === 'string' && { resource }),
      checklist,
    }));
    const all = [...interactions, ...buildUnanswered(sessions, interactions)];
    const text = formatPythonJson(
      { context_factors, sessions: storedSessions, interactions: all },
      DATA_INDENT,
    );
    bytes += await writeText(join(folder, LAYOUT.data, names.next(id)), text);
    personas.push(persona);
  }
  const list = await writeText(join(folder, LAYOUT.personas), formatPythonJson(personas, DATA_INDENT));
  const rows = personas.length;
  return {
    rows,
    written: [
      { path: LAYOUT.personas, files: 1, rows, bytes: list },
      { path: `${LAYOUT.data}/*.json`, files: rows, rows, bytes },
    ],
  };
}

/**
 * Writes instances as the reference program's evaluation reads them: `instances/{persona_id}+{instance_type}.json`.
 * @throws DataError for a persona whose name no file can have
 */
export async function writeReferenceInstances(
  folder: string,
  instances: AsyncIterable<Instance>,
): Promise<WrittenFolder> {
  const names = new FileNames();
  let [rows, bytes] = [0, 0];
  await mkdir(join(folder, LAYOUT.instances));
  for await (const instance of instances) {
    const name = names.next(`${instance.persona_id}+${instance.instance_type}`);
    bytes += await writeText(join(folder, LAYOUT.instances, name), formatPythonJson(instance));
    rows += 1;
  }
  return { rows, written: [{ path: `${LAYOUT.instances}/*.json`, files: rows, rows, bytes }] };
}

/** Writes where the files are from, for which the layout has no place. `cupid import` reads their marks there, `datasets` which files have rows. */
export async function writeReferenceReadme(
  folder: string,
  {
    sources,
    simulated,
    canary,
    license,
    counts,
  }: Marks & {
    readonly sources: readonly string[];
    readonly license: string | undefined;
    /** Numbers of rows; absent for files that are not there. */
    readonly counts: Pick<ExportReport, 'instances' | 'records'>;
  },
): Promise<WrittenPart> {
  const front = {
    ...omitUndefined({ license, tags: simulated === true ? ['simulated'] : undefined }),
    ...buildJsonConfigurations(
      listPresent(
        counts.instances !== undefined && INSTANCE_FILES,
        counts.records !== undefined && PERSONA_FILE,
      ),
    ),
  };
  const text = [
    renderFrontMatter(front).trimEnd(),
    ...(simulated === true ? [SIMULATED_NOTE] : []),
    "# CUPID data in the reference program's layout",
    `Exported from ${sources.map(formatCode).join(' and ')}. See the card there for how it was made and under which license.\n`,
  ].join('\n\n');
  return writeTextPart(folder, CARD, withCanary(text, canary));
}

const INSTANCE_FILES: JsonConfiguration = {
  name: 'instances',
  path: `${LAYOUT.instances}/*.json`,
  columns: INSTANCE_COLUMNS,
};
const PERSONA_FILE: JsonConfiguration = { name: 'personas', path: LAYOUT.personas, columns: PERSONA_COLUMNS };

/** First lines of cards of simulated data without statistics. */
export const SIMULATED_NOTE =
  '**Simulated data: at least one of the models was a simulation that answers by rule. It says nothing about people or models.**';

interface WrittenFolder {
  readonly rows: number;
  readonly written: readonly WrittenPart[];
}

const DATA_INDENT = 4;

/**
 * Builds the interaction that the reference program keeps for the last session: a request without an answer. Returns none when the record
 * has a dialogue of that session.
 */
function buildUnanswered(
  sessions: RecordForm['sessions'],
  interactions: RecordForm['interactions'],
): RecordForm['interactions'] {
  const last = sessions.at(-1);
  if (last === undefined || interactions.some(({ session_id: id }) => id === last.id)) return [];
  return [
    {
      session_id: last.id,
      preference: last.preference,
      checklist: last.checklist,
      chat: [
        { role: 'user', content: buildStoredOpening(last) },
        { role: 'assistant', content: null },
      ],
      is_satisfied: false,
    },
  ];
}

function requireDerived(id: string, { id: number, occupation }: RecordForm['persona']): void {
  const derived = buildPersonaId(number, occupation);
  if (normalizeName(id) === normalizeName(derived)) return;
  throw new DataError(
    `Persona "${id}" cannot be written in the reference program's layout, which names a persona by its number and occupation: here ` +
      `"${derived}". Fix persona_id, or the persona's id and occupation.`,
  );
}

async function writeText(file: string, text: string): Promise<number> {
  await writeSynced(file, text);
  return Buffer.byteLength(text);
}

/** File names that stay distinct on a case-insensitive file system. */
class FileNames {
  readonly #given = new Map<string, string>();

  next(name: string): string {
    const file = `${name}.json`;
    if (/^\.|[/\\\0]/.test(name) || Buffer.byteLength(file) > LONGEST_NAME) {
      throw new DataError(
        `A file cannot be named "${file}": a name must not begin with "." or contain "/" or "\\", and has at most ${LONGEST_NAME} bytes. Change the persona_id.`,
      );
    }
    const key = normalizeName(name);
    const earlier = this.#given.get(key);
    if (earlier !== undefined) {
      throw new DataError(
        `Two rows would be written to files of the same name, "${earlier}.json" and "${file}". Give one of them another persona_id.`,
      );
    }
    this.#given.set(key, name);
    return file;
  }
}

/** In bytes, as file systems take them. */
const LONGEST_NAME = 255;
