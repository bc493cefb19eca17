import { join } from 'node:path';
import * as z from 'zod';
import { DataError } from '../../data/store/data-error';
import { buildPersonaId } from '../../rules/instances/persona-id';
import { recordFormSchema, type RecordForm } from '../../schemas/dataset/record';
import { normalizeName, LAYOUT } from '../reference-layout';
import { readJsonFile, type OtherKeys } from './json-file';
import type { ImportLayout } from './layout';

export interface Personas {
  /** In the order of their numbers. */
  readonly withData: readonly PersonaFile[];
  /** Those for which the program failed to make a data file: their `persona_id`, in order. */
  readonly withoutData: readonly string[];
  /** True for the `persona_id` of one of them, however it is spelled. */
  readonly has: (id: string) => boolean;
}

interface PersonaFile {
  readonly persona: RecordForm['persona'];
  /** The name of its data file, without `.json`: the persona's id. */
  readonly name: string;
}

/**
 * Reads `personas.json` and finds each persona's data file.
 * @throws DataError when two personas have one number, or a data file is of none of them
 */
export async function readPersonas({ folder, data }: ImportLayout, otherKeys: OtherKeys): Promise<Personas> {
  const list = join(folder, LAYOUT.personas);
  const personas = await readJsonFile(list, folder, z.array(recordFormSchema.shape.persona), otherKeys);
  const ordered = personas.toSorted((a, b) => a.id - b.id);
  const duplicate = ordered.find(({ id }, index) => id === ordered[index - 1]?.id);
  if (duplicate !== undefined) {
    throw new DataError(`${list}: two personas have the id ${duplicate.id}. Give one of them another id.`);
  }
  const names = new Map<string, string>();
  const personaNames = new Set(ordered.map(buildPersonaName));
  for (const name of data) {
    const file = join(folder, LAYOUT.data, `${name}.json`);
    if (!personaNames.has(normalizeName(name))) {
      throw new DataError(
        `${file} belongs to no persona in ${list}. Add the ${LAYOUT.personas} that was written with it, fix the file's name ` +
          "(its persona's id and occupation), or remove the file.",
      );
    }
    const earlier = names.get(normalizeName(name));
    if (earlier !== undefined) {
      throw new DataError(`${file} belongs to the same persona as ${earlier}.json. Remove one of them.`);
    }
    names.set(normalizeName(name), name);
  }
  return {
    withData: ordered.flatMap((persona) => {
      const name = names.get(buildPersonaName(persona));
      return name === undefined ? [] : [{ persona, name }];
    }),
    withoutData: ordered
      .filter((persona) => !names.has(buildPersonaName(persona)))
      .map(({ id, occupation }) => buildPersonaId(id, occupation)),
    has: (id) => personaNames.has(normalizeName(id)),
  };
}

/**
 * Reads the records of these personas, one in memory at a time.
 * @throws DataError for a file that is not in the form
 */
export async function* readRecordFiles(
  { folder }: ImportLayout,
  { withData }: Personas,
  otherKeys: OtherKeys,
): AsyncGenerator<RecordForm> {
  for (const { persona, name } of withData) {
    const file = join(folder, LAYOUT.data, `${name}.json`);
    const { context_factors, sessions, interactions } = await readJsonFile(
      file,
      folder,
      dataFileSchema,
      otherKeys,
    );
    const ledInteractions = interactions.filter(
      (interaction) => !isUnanswered(interaction, sessions.at(-1)?.id),
    );
    yield { persona_id: name, persona, context_factors, sessions, interactions: ledInteractions };
  }
}

function buildPersonaName({ id, occupation }: RecordForm['persona']): string {
  return normalizeName(buildPersonaId(id, occupation));
}

const dataFileSchema = recordFormSchema.pick({ context_factors: true, sessions: true, interactions: true });

/** Returns whether this is the last session's request, which the reference program stores although nobody answers it. It is no dialogue. */
function isUnanswered(
  { session_id: id, chat }: RecordForm['interactions'][number],
  last: number | undefined,
): boolean {
  return id === last && chat.every(({ role, content }) => role !== 'assistant' || content === null);
}
