import { join } from 'node:path';
import { writeArrow } from '../../../data/tables/arrow';
import type { CardFiles } from '../../../data/card/dataset-info';
import { renderCard, type CardFacts } from '../../../data/card/render';
import { INSTANCE_COLUMNS, PROVENANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import { shareItems } from '../../../data/store/share-items';
import { useTemporaryDirectory } from '../../../data/store/directories';
import { hashText, type WrittenFile } from '../../../data/store/files';
import { DATASETS, writeDataSetHashes } from '../../../data/run/outputs';
import { deriveCanary } from '../../../data/marks/canary';
import { writeRunStatistics } from '../../../data/run/statistics';
import { loadParquetLibrary, writeParquet } from '../../../data/tables/parquet';
import { OPENED_PROVIDERS, OPENING_MESSAGE } from '../../../models/opening';
import { computeCompressionRatio } from '../../../data/sets/compression';
import { loadTokenizer } from '../../../rules/statistics/tokens';
import { DataSetCounter, isIncluded, type CountedDataSet } from '../../../rules/statistics/run-statistics';
import { buildProvenance } from '../../../rules/instances/provenance';
import { splitInstances, type SplitInstance } from '../../../rules/instances/split';
import type { Instance } from '../../../schemas/dataset/instance';
import { hasSimulated, formatModelName, parseModelSpec } from '../../../schemas/model/model-spec';
import type { Provenance } from '../../../schemas/dataset/provenance';
import type { StoredPersona, PersonaRecord } from '../../../schemas/dataset/record';
import { listStoredPersonas, readStoredPersonas } from '../../../data/run/artifacts';
import { readPlan } from '../../../data/run/inputs';
import { readSynthesisParameters } from '../../parameters-in-force';
import { countCosts } from './count-costs';
import type { SynthesisFiles, SynthesisWorld } from '../inputs';

export interface BuiltDatasets {
  readonly personas: number;
  /** Number of complete personas that were left out for a dialogue that never satisfied its user. */
  readonly excludedPersonas: number;
  readonly instances: number;
  readonly unsatisfiedDialogues: number;
}

/** Loads the libraries that the data sets need: together they take half a second. */
export function prepareWriters(): void {
  loadTokenizer();
  loadParquetLibrary();
}

/** Builds every data set of a run from the stored records, one record in memory at a time, into the artifact store. */
export async function buildDatasets(
  world: Pick<SynthesisWorld, 'run' | 'ledger'>,
  _input: { readonly run: string },
): Promise<BuiltDatasets> {
  return useTemporaryDirectory(world.run.scratch, 'datasets-', (folder) => buildFiles(world, folder));
}

async function buildFiles(
  { run, ledger }: Pick<SynthesisWorld, 'run' | 'ledger'>,
  folder: string,
): Promise<BuiltDatasets> {
  const pathOf = (name: string) => join(folder, name);
  const marks = await findMarks(run);
  const { simulated } = marks;
  const read = shareItems(readSplit(run), 5);
  const [unverified, arrow, raw, provenance, summary] = await joinAll([
    read((personas) =>
      writeParquet(pathOf('unverified.parquet'), INSTANCE_COLUMNS, listInstances(personas), marks),
    ),
    read((personas) =>
      writeArrow(pathOf('unverified.arrow'), INSTANCE_COLUMNS, listInstances(personas), marks),
    ),
    read((personas) => writeParquet(pathOf('raw.parquet'), RECORD_COLUMNS, listRecords(personas), marks)),
    read((personas) =>
      writeParquet(
        pathOf('provenance.parquet'),
        PROVENANCE_COLUMNS,
        listProvenance(personas, { ...run, simulated }),
      ),
    ),
    read((personas) => summarizePersonas(personas, run)),
  ]);
  const excludedPersonas = (await listStoredPersonas(run.store)).length - raw.rows;

  const costs = await countCosts(run, ledger);
  const parameters = await readSynthesisParameters(run.store, run.settings);
  const isOpened =
    parameters['user']?.assistantFirst === 'rejected' ||
    OPENED_PROVIDERS.has(parseModelSpec(run.settings.models.user).provider);
  const facts: Omit<CardFacts, 'dataSet' | 'files'> = {
    ...marks,
    settings: run.settings,
    failedPersonas: run.settings.nPersonas - summary.statistics.personas - excludedPersonas,
    otherModels: summary.otherModels,
    answeredBy: summary.answeredBy,
    seeds: run.seeds,
    prompts: run.prompts,
    codeVersions: summary.codeVersions,
    parameters,
    ...(isOpened ? { opening: OPENING_MESSAGE.content } : {}),
    statistics: summary.statistics,
    figures: summary.figures,
    ...(costs === undefined ? {} : { costs }),
  };
  const { store } = run;
  const card = renderCard({ ...facts, dataSet: 'CUPID-Unverified', files: testFile(unverified) });
  const rawCard = renderCard({ ...facts, dataSet: 'CUPID-Raw', files: testFile(raw) });
  await store.put(DATASETS.unverified, pathOf('unverified.parquet'));
  await store.put(DATASETS.unverifiedArrow, pathOf('unverified.arrow'));
  await store.write(DATASETS.unverifiedCard, card);
  await store.put(DATASETS.raw, pathOf('raw.parquet'));
  await store.write(DATASETS.rawCard, rawCard);
  await store.put(DATASETS.provenance, pathOf('provenance.parquet'));
  const { statistics, figures } = summary;
  await writeRunStatistics(store, { statistics, figures });
  await writeDataSetHashes(store, {
    [DATASETS.unverified]: unverified.sha256,
    [DATASETS.unverifiedArrow]: arrow.sha256,
    [DATASETS.unverifiedCard]: hashText(card),
    [DATASETS.raw]: raw.sha256,
    [DATASETS.rawCard]: hashText(rawCard),
    [DATASETS.provenance]: provenance.sha256,
  });
  return {
    personas: raw.rows,
    excludedPersonas,
    instances: unverified.rows,
    unsatisfiedDialogues: summary.statistics.unsatisfiedDialogues ?? 0,
  };
}

function testFile({ rows, bytes, memoryBytes }: WrittenFile): CardFiles {
  return { path: 'test.parquet', rows, bytes, memoryBytes };
}

/** A persona of the data sets, with its instances. */
interface SplitPersona {
  readonly kept: StoredPersona;
  readonly instances: readonly SplitInstance[];
}

async function* readSplit({ store, settings }: SynthesisFiles): AsyncGenerator<SplitPersona> {
  for await (const persona of readStoredPersonas(store)) {
    if (isIncluded(settings, persona))
      yield { kept: persona, instances: splitInstances(persona.record, settings.seed) };
  }
}

type SplitPersonas = AsyncIterable<SplitPersona>;

async function* listInstances(personas: SplitPersonas): AsyncGenerator<Instance> {
  for await (const { instances } of personas) for (const { instance } of instances) yield instance;
}

async function* listRecords(personas: SplitPersonas): AsyncGenerator<PersonaRecord> {
  for await (const { kept } of personas) yield kept.record;
}

async function* listProvenance(
  personas: SplitPersonas,
  origin: Parameters<typeof buildProvenance>[2],
): AsyncGenerator<Provenance> {
  for await (const { kept, instances } of personas)
    for (const split of instances) yield buildProvenance(kept, split, origin);
}

/** Waits for all of them, even if one fails: until then, they use the temporary folder. */
async function joinAll<T extends readonly unknown[]>(
  writing: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(writing);
  return Promise.all(writing);
}

/** Finds what each file says of all rows. The canary is that of the first persona; undefined if no persona is in the data sets. */
async function findMarks({
  store,
  seeds,
  settings,
}: SynthesisFiles): Promise<{ readonly simulated: boolean; readonly canary: string | undefined }> {
  const { inputs } = await readPlan(store);
  // Answers of other models than the settings' are in the records of restarts only.
  const mayBeSimulated = hasSimulated(inputs.restarts.flatMap(({ model }) => model?.spec ?? []));
  let simulated = seeds.simulated === true || hasSimulated(Object.values(settings.models));
  let canary: string | undefined;
  for await (const persona of readStoredPersonas(store)) {
    if (!isIncluded(settings, persona)) continue;
    canary ??= deriveCanary(persona.record);
    simulated ||= hasSimulated(Object.values(persona.models ?? {}).flat());
    if (simulated || !mayBeSimulated) break;
  }
  return { simulated, canary };
}

/** Counts the figures of the cards, over the personas in the data sets. */
async function summarizePersonas(
  personas: SplitPersonas,
  run: SynthesisFiles,
): Promise<
  CountedDataSet & {
    readonly otherModels: string[];
    readonly answeredBy: string[];
    readonly codeVersions: string[];
  }
> {
  const specs = new Set(Object.values(run.settings.models));
  const settingsCount = specs.size;
  const answeredBy = new Set<string>();
  const codeVersions = new Set<string>();
  const counter = new DataSetCounter({ ...run.settings, withRecords: true });
  for await (const { kept, instances } of personas) {
    for (const model of kept.answered_by) answeredBy.add(model);
    codeVersions.add(kept.code_version);
    for (const spec of Object.values(kept.models ?? {}).flat()) specs.add(spec);
    counter.addStored(kept, instances);
  }
  return {
    otherModels: [...specs].slice(settingsCount).map(formatModelName),
    answeredBy: [...answeredBy].toSorted(),
    codeVersions: codeVersions.size === 0 ? [run.codeVersion] : [...codeVersions].toSorted(),
    ...counter.end(computeCompressionRatio),
  };
}
