import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLicense } from '../../../data/card/edit';
import { withFiles } from '../../../data/card/dataset-info';
import { renderCanary } from '../../../data/marks/canary';
import { INSTANCE_COLUMNS, PROVENANCE_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import { publishData, type PublicationRequest, type PublishSurroundings } from '../../../publishing/publish';
import { type Publication, publicationSchema } from '../../../schemas/dataset/publication';
import type { Provenance } from '../../../schemas/dataset/provenance';
import { buildSoundInstances, CANARY } from './sound-data';

/** Writes a data set as a run leaves it, of this many personas. Its models are real unless specified. */
export async function runFolder(
  folder: string,
  {
    personas = 2,
    simulated = false,
    preferenceInRequest = false,
  }: {
    readonly personas?: number;
    readonly simulated?: boolean;
    /** Causes a warning of validation. */
    readonly preferenceInRequest?: boolean;
  } = {},
): Promise<string> {
  const dataSet = join(folder, 'CUPID-Unverified');
  mkdirSync(dataSet, { recursive: true });
  const sound = buildSoundInstances(personas);
  const given = sound.find(({ current_contextual_preference: preference }) => preference !== '');
  const instances = sound.map((row) =>
    preferenceInRequest ? { ...row, current_request: `Do it. ${given?.current_contextual_preference}` } : row,
  );
  const written = await writeParquet(join(dataSet, 'test.parquet'), INSTANCE_COLUMNS, instances, {
    canary: CANARY,
  });
  const label = simulated ? '**Simulated data: nobody wrote it.**\n\n' : '';
  const card = withFiles(`${label}# CUPID-Unverified\n\n${renderCanary(CANARY)}\n`, INSTANCE_COLUMNS, {
    path: 'test.parquet',
    ...written,
  });
  writeFileSync(join(dataSet, 'README.md'), withLicense(card, 'cc-by-4.0'));
  // Other files of a run's folder, which must not be published.
  writeFileSync(join(dataSet, 'test.arrow'), 'Not published.');
  writeFileSync(join(dataSet, '.hidden'), 'Not published.');
  const provenance = instances.map(({ persona_id, instance_type }): Provenance => ({
    ...ORIGIN,
    persona_id,
    instance_type,
    simulated,
  }));
  await writeParquet(join(folder, 'provenance.parquet'), PROVENANCE_COLUMNS, provenance);
  return folder;
}

const ORIGIN: Omit<Provenance, 'persona_id' | 'instance_type' | 'simulated'> = {
  run: 'abc',
  workflow_id: 'abc-1',
  seed: 42,
  seed_sentence: 'A seed.',
  prior_sessions: [1, 2, 3, 4, 5, 6, 7, 8],
  unsatisfied_sessions: [],
  disagreements: 0,
  synthesis_model: 'openai:gpt',
  user_model: 'openai:gpt',
  assistant_model: 'openai:gpt',
  answered_by: ['gpt'],
  prompts_hash: 'f'.repeat(64),
  code_version: '0.0.0',
  calls: 1,
  bad_answers: 0,
  separated_answers: 0,
  input_tokens: null,
  output_tokens: null,
};

export const REPO = 'kim/cupid';

/** Publishes to this repository's main branch unless other options are given. */
export async function publishWith(
  wanted: Partial<PublicationRequest> & Pick<PublicationRequest, 'data'>,
  around: PublishSurroundings,
): Promise<Publication> {
  const request = { repo: REPO, branch: 'main', ...wanted };
  return publicationSchema.parse(await publishData(request, around));
}

/** Returns the contents of a file of a run's folder, as published. */
export function readContents(folder: string, path: string): Buffer {
  return readFileSync(
    path === 'provenance.parquet' ? join(folder, path) : join(folder, 'CUPID-Unverified', path),
  );
}
