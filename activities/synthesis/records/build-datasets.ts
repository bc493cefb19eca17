import { join } from 'node:path';
import { writeArrow } from '../../../data/tables/arrow';
import type { CardFiles } from '../../../data/card/dataset-info';
import { renderCard, type CardFacts } from '../../../data/card/render';
import { INSTANCE_COLUMNS, PROVENANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import { useTemporaryDirectory } from '../../../data/store/directories';
import { hashText, type WrittenFile } from '../../../data/store/files';
import { DATASETS, writeDataSetHashes } from '../../../data/run/outputs';
import { deriveCanary } from '../../../data/sets/canary';
import { writeRunStatistics } from '../../../data/run/statistics';
import { writeParquet } from '../../../data/tables/parquet';
import { OPENED_PROVIDERS, OPENING_MESSAGE } from '../../../models/opening';
import { computeCompressionRatio } from '../../../data/sets/compression';
import { DataSetCounter, isIncluded, type CountedDataSet } from '../../../rules/statistics/run-statistics';
import { buildProvenance } from '../../../rules/instances/provenance';
import { splitInstances } from '../../../rules/instances/split';
import type { Instance } from '../../../schemas/dataset/instance';
import { hasSimulated, formatModelName, parseModelSpec } from '../../../schemas/model/model-spec';
import type { Provenance } from '../../../schemas/dataset/provenance';
import type { StoredPersona, PersonaRecord } from '../../../schemas/dataset/record';
import { readStoredPersonas } from '../../../data/run/artifacts';
import { readSynthesisParameters } from '../../parameters-in-force';
import { countCosts } from './count-costs';
import type { SynthesisFiles, SynthesisWorld } from '../inputs';

export interface BuiltDatasets {
  readonly personas: number;
  /** Number of complete personas that were left out for a dialogue that never satisfied its user. */
  readonly leftOut: number;
  readonly instances: number;
  readonly unsatisfiedDialogues: number;
}

/** Builds every data set of a run from the stored records, one record in memory at a time, into the artifact store. */
export async function buildDatasets(
  { run }: Pick<SynthesisWorld, 'run'>,
  _input: { readonly run: string },
): Promise<BuiltDatasets> {
  return useTemporaryDirectory(run.scratch, 'datasets-', (folder) => build(run, folder));
}

async function build(run: SynthesisFiles, folder: string): Promise<BuiltDatasets> {
  const summary = await summarize(run);
  const made = (name: string) => join(folder, name);
  const { simulated, canary } = summary;
  const marks = { simulated, canary };
  const rows = () => readInstances(run);
  const unverified = await writeParquet(made('unverified.parquet'), INSTANCE_COLUMNS, rows(), marks);
  const arrow = await writeArrow(made('unverified.arrow'), INSTANCE_COLUMNS, rows(), marks);
  const raw = await writeParquet(made('raw.parquet'), RECORD_COLUMNS, readRecords(run), marks);
  const provenance = await writeParquet(
    made('provenance.parquet'),
    PROVENANCE_COLUMNS,
    readProvenance(run, simulated),
  );

  const costs = await countCosts(run);
  const parameters = await readSynthesisParameters(run.store, run.settings);
  const isOpened =
    parameters['user']?.openingMessage === true ||
    OPENED_PROVIDERS.has(parseModelSpec(run.settings.models.user).provider);
  const facts: Omit<CardFacts, 'dataSet' | 'files'> = {
    ...marks,
    settings: run.settings,
    failedPersonas: run.settings.nPersonas - summary.statistics.personas - summary.leftOut,
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
  await store.put(DATASETS.unverified, made('unverified.parquet'));
  await store.put(DATASETS.unverifiedArrow, made('unverified.arrow'));
  await store.write(DATASETS.unverifiedCard, card);
  await store.put(DATASETS.raw, made('raw.parquet'));
  await store.write(DATASETS.rawCard, rawCard);
  await store.put(DATASETS.provenance, made('provenance.parquet'));
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
    leftOut: summary.leftOut,
    instances: unverified.rows,
    unsatisfiedDialogues: summary.statistics.unsatisfiedDialogues ?? 0,
  };
}

function testFile({ rows, bytes, memoryBytes }: WrittenFile): CardFiles {
  return { path: 'test.parquet', rows, bytes, memoryBytes };
}

async function* readIncluded(run: SynthesisFiles): AsyncGenerator<StoredPersona> {
  for await (const kept of readStoredPersonas(run.store)) if (isIncluded(run.settings, kept)) yield kept;
}

async function* readInstances(run: SynthesisFiles): AsyncGenerator<Instance> {
  for await (const { record } of readIncluded(run)) {
    for (const { instance } of splitInstances(record, run.settings.seed)) yield instance;
  }
}

async function* readRecords(run: SynthesisFiles): AsyncGenerator<PersonaRecord> {
  for await (const { record } of readIncluded(run)) yield record;
}

async function* readProvenance(run: SynthesisFiles, simulated: boolean): AsyncGenerator<Provenance> {
  for await (const kept of readIncluded(run)) {
    for (const { instance, priorSessions } of splitInstances(kept.record, run.settings.seed)) {
      yield buildProvenance(kept, { instance, priorSessions }, { ...run, simulated });
    }
  }
}

/** Counts the figures of the cards, over the personas in the data sets. */
async function summarize(run: SynthesisFiles): Promise<
  CountedDataSet & {
    simulated: boolean;
    /** Undefined if no persona is in the data sets. */
    canary: string | undefined;
    leftOut: number;
    otherModels: string[];
    answeredBy: string[];
    codeVersions: string[];
  }
> {
  const specs = new Set(Object.values(run.settings.models));
  const usual = specs.size;
  const answeredBy = new Set<string>();
  const codeVersions = new Set<string>();
  const counter = new DataSetCounter({ ...run.settings, withRecords: true });
  let leftOut = 0;
  let canary: string | undefined;
  for await (const kept of readStoredPersonas(run.store)) {
    if (!isIncluded(run.settings, kept)) {
      leftOut += 1;
      continue;
    }
    canary ??= deriveCanary(kept.record);
    for (const model of kept.answered_by) answeredBy.add(model);
    codeVersions.add(kept.code_version ?? run.codeVersion);
    for (const spec of Object.values(kept.models ?? {}).flat()) specs.add(spec);
    counter.addStored(kept, run.settings);
  }
  return {
    simulated: run.seeds.simulated === true || hasSimulated(specs),
    canary,
    leftOut,
    otherModels: [...specs].slice(usual).map(formatModelName),
    answeredBy: [...answeredBy].toSorted(),
    codeVersions: codeVersions.size === 0 ? [run.codeVersion] : [...codeVersions].toSorted(),
    ...counter.end(computeCompressionRatio),
  };
}
