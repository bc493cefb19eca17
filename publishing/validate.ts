import { isAbsolute, relative } from 'node:path';
import { ACCEPTED_TAGS } from '../data/card/verification';
import { PROVENANCE } from '../data/folders/choose';
import type { DataSet } from '../data/sets/data-set';
import { readStoredPersonas } from '../data/run/artifacts';
import { getReason } from '../data/store/data-error';
import { openRunStore, readStoreLocation } from '../data/store/open-store';
import { CARD } from '../data/folders/folder';
import type { RowKey } from '../data/sets/keys';
import { INSTANCES, RECORDS } from '../data/sets/kinds';
import type { OpenOptions } from '../data/sets/open';
import { computeCompressionRatio } from '../data/sets/compression';
import { createFigureCounter, type FigureCounter } from '../rules/statistics/figures';
import { ChoiceQuestions } from '../rules/choice/questions';
import { InstanceStructure } from '../rules/validation/instances/structure';
import { RecordStructure } from '../rules/validation/records/structure';
import type { Instance } from '../schemas/dataset/instance';
import type { DataFigures } from '../schemas/dataset/data-figures';
import { omitUndefined } from '../schemas/omit-undefined';
import type { RecordForm } from '../schemas/dataset/record';
import type { ValidatedDataSet, ValidationReport } from '../schemas/dataset/validation';
import { KnownInstances, validateProvenance, RecordAgreement } from './validation/agreement';
import { findArrowCopy, validateArrowCopy } from './validation/arrow-copy';
import { findChoices, validateChoices } from './validation/benchmark';
import { listCanaries, validateCanaries } from './validation/canary';
import { validateCard } from './validation/card';
import { listChoiceProblems } from './validation/choices';
import { openNamedData, type NamedRunFacts } from './validation/named-data';
import { DataSetPass, type PassOptions } from './validation/pass';
import { SimulatedTexts } from './validation/simulated-texts';
import { InstanceWatch, RecordWatch } from './validation/watches';

interface ValidationOptions extends OpenOptions {
  readonly signal?: AbortSignal;
  /** Called after every row with the data set and the number of its rows so far. */
  readonly progress?: (source: string, rows: number) => void;
}

/**
 * Checks data by the rules of `schemas/dataset/validation.ts`: a file, a folder, or a data set of the Hub, of instances or of
 * records; of a run's folder both data sets, and whether they, their provenance and their cards agree. Memory holds one row group and
 * a few hundred bytes a row.
 * @throws DataError when there is nothing to read, or a file is not whole
 */
export async function validateData(argument: string, options: ValidationOptions): Promise<ValidationReport> {
  const { dataSets, run, runFolder } = await openNamedData(argument, options);
  const [instancesOf, recordsOf] = (['instances', 'records'] as const).map(
    (kind) => dataSets.find((namedData) => namedData.kind === kind)?.dataSet,
  );
  const arrowCopy = run && instancesOf && (await findArrowCopy(instancesOf));
  const index = new KnownInstances(recordsOf !== undefined || arrowCopy !== undefined);
  const figures = createFigureCounter({
    withRecords: recordsOf !== undefined,
    taxonomy: run?.taxonomy,
    maxTurns: run?.maxTurns,
  });
  const isRebuilt = recordsOf !== undefined && run !== undefined;
  const instances =
    instancesOf && (await passInstances(instancesOf, { index, run, figures, isRebuilt }, options));
  if (instances !== undefined && arrowCopy !== undefined) {
    const problems = await validateArrowCopy(arrowCopy, { index, unsound: instances.unsound }, options);
    for (const problem of problems) {
      instances.findings.add(formatName(arrowCopy, instances.dataSet), problem);
    }
  }
  const personas = new Set<string>();
  const agreement = instances && recordsOf && new RecordAgreement(index, run?.seed, instances.unsound);
  const records =
    recordsOf &&
    (await passRecords(
      recordsOf,
      { agreement, run, figures, personas, withRequests: instances === undefined },
      options,
    ));
  if (instances !== undefined && records !== undefined) {
    for (const problem of agreement?.end(records.unsound) ?? []) instances.addAt(problem);
  }
  const selection =
    records === undefined || runFolder === undefined
      ? undefined
      : await countSelections(runFolder, personas, options);
  const dataFigures = { ...figures.end(computeCompressionRatio), ...omitUndefined({ selection }) };
  for (const problem of listChoiceProblems(dataFigures)) instances?.addAt(problem);
  const [canary] = dataSets.flatMap(({ dataSet }) => dataSet.canary ?? []);
  if (instances !== undefined) await addCanaries(instances, canary, arrowCopy);
  if (records !== undefined) await addCanaries(records, canary);
  const validated = [
    ...(instances === undefined ? [] : [reportOf(instances)]),
    ...(records === undefined ? [] : [reportOf(records)]),
  ];
  return {
    dataSets: validated,
    figures: dataFigures,
    errors: validated.reduce((sum, { errors }) => sum + errors, 0),
    warnings: validated.reduce((sum, { warnings }) => sum + warnings, 0),
  };
}

/** Sessions of a journey that are no prior interactions of an instance (paper, B.5). */
const LEFT_OUT = 5;

async function passInstances(
  dataSet: DataSet,
  context: {
    readonly index: KnownInstances;
    readonly run: NamedRunFacts | undefined;
    readonly figures: FigureCounter;
    /** Whether the records of the run yield the same instances, so that these are not compared with each other. */
    readonly isRebuilt: boolean;
  },
  options: ValidationOptions,
): Promise<DataSetPass<Instance>> {
  const { index, run } = context;
  const isSelection = dataSet.card?.tags.some((tag) => ACCEPTED_TAGS.includes(tag)) === true;
  const watch = new InstanceWatch(
    context.isRebuilt ? undefined : new InstanceStructure(run && run.nSessions - LEFT_OUT, isSelection),
  );
  const texts = new SimulatedTexts();
  const choices = await findChoices(dataSet);
  const questions = choices.length === 0 ? undefined : new ChoiceQuestions();
  const pass = new DataSetPass(dataSet, INSTANCES, {
    ...passOptions(dataSet, run, options),
    show: (instance, place) => {
      watch.add(instance, place);
      for (const { dialogue } of instance.prior_interactions) texts.add(dialogue);
      index.add(instance, place);
      questions?.add(instance);
      context.figures.addInstance(instance);
    },
  });
  await pass.run();
  pass.addFound(watch.end());
  await addProvenance(pass, index, run);
  pass.simulated ??= run?.simulated ?? texts.end();
  addCard(pass, run);
  for (const path of choices) {
    for (const problem of questions === undefined ? [] : await validateChoices(path, questions))
      pass.findings.add(formatName(path, dataSet), problem);
  }
  return pass;
}

async function passRecords(
  dataSet: DataSet,
  context: {
    readonly agreement: RecordAgreement | undefined;
    readonly run: NamedRunFacts | undefined;
    readonly figures: FigureCounter;
    /** Receives the personas that have a record. */
    readonly personas: Set<string>;
    readonly withRequests: boolean;
  },
  options: ValidationOptions,
): Promise<DataSetPass<RecordForm>> {
  const watch = new RecordWatch(new RecordStructure(context.run?.nSessions), context.withRequests);
  const texts = new SimulatedTexts();
  const pass = new DataSetPass(dataSet, RECORDS, {
    ...passOptions(dataSet, context.run, options),
    show: (record, place) => {
      watch.add(record, place);
      for (const { chat } of record.interactions) texts.add(chat);
      context.agreement?.add(record);
      context.figures.addRecord(record);
      context.personas.add(record.persona_id);
    },
  });
  await pass.run();
  pass.addFound(watch.end());
  pass.simulated ??= context.run?.simulated ?? texts.end();
  addCard(pass, context.run);
  return pass;
}

/**
 * Counts the items that the users of a run's dialogues selected. Only its folder has them, so the figure is unknown of other data, and of a run
 * on object storage.
 */
async function countSelections(
  folder: string,
  personas: ReadonlySet<string>,
  { report }: ValidationOptions,
): Promise<DataFigures['selection']> {
  if (readStoreLocation(folder) !== undefined) return undefined;
  const counter = createFigureCounter({ withRecords: true });
  try {
    for await (const persona of readStoredPersonas(await openRunStore(folder))) {
      if (personas.has(persona.record.persona_id)) counter.addSelections(persona);
    }
  } catch (error) {
    report(
      `The items that users selected are not counted, because ${folder}/.cupid cannot be read: ${getReason(error)}`,
    );
    return undefined;
  }
  return counter.end(computeCompressionRatio).selection;
}

function passOptions(
  dataSet: DataSet,
  run: NamedRunFacts | undefined,
  { signal, progress }: ValidationOptions,
): Omit<PassOptions<unknown>, 'show'> {
  return {
    ours: isOurs(dataSet, run),
    signal,
    progress: (rows) => progress?.(dataSet.source, rows),
  };
}

/** Returns whether this program wrote the data set, by its card or the files beside it. */
function isOurs({ card, provenance }: DataSet, run: NamedRunFacts | undefined): boolean {
  return card?.ours === true || provenance !== undefined || run !== undefined;
}

async function addProvenance(
  pass: DataSetPass<Instance>,
  index: KnownInstances,
  run: NamedRunFacts | undefined,
): Promise<void> {
  const { card, provenance } = pass.dataSet;
  if (provenance === undefined) {
    if (run !== undefined) addMissing(pass, PROVENANCE);
    return;
  }
  const problems = await validateProvenance(provenance, {
    index,
    unsound: pass.unsound,
    simulated: run?.simulated === true || card?.simulated === true,
  });
  for (const problem of problems.ofProvenance)
    pass.findings.add(formatName(provenance, pass.dataSet), problem);
  for (const problem of problems.ofInstances) pass.addAt(problem);
}

function addCard<Content extends RowKey>(pass: DataSetPass<Content>, run: NamedRunFacts | undefined): void {
  const { cardName } = pass.dataSet;
  if (cardName === undefined) {
    if (run !== undefined) addMissing(pass, CARD);
    return;
  }
  for (const problem of validateCard(pass)) pass.findings.add(cardName, problem);
}

/** @param copy of the data set in another format */
async function addCanaries<Content extends RowKey>(
  { dataSet, ours, findings }: DataSetPass<Content>,
  expected: string | undefined,
  copy?: string,
): Promise<void> {
  const copies = copy === undefined ? [] : [{ path: copy, name: formatName(copy, dataSet) }];
  const places = await listCanaries(dataSet, copies);
  const { argument } = dataSet;
  for (const { file, ...problem } of validateCanaries(places, { ours, expected, argument }))
    findings.add(file, problem);
}

/** Formats the path of a file beside the data set: relative, unless the user gave an absolute path. */
function formatName(path: string, { argument }: DataSet): string {
  return isAbsolute(argument) ? path : relative(process.cwd(), path);
}

/** Adds a finding for a file that the run wrote and that is missing now. */
function addMissing<Content extends RowKey>(pass: DataSetPass<Content>, name: string): void {
  pass.findings.add(pass.dataSet.source, {
    rule: 'missing-file',
    message: `${name} is missing. Repeat the cupid synth command of the run to write it again.`,
  });
}

function reportOf<Content extends RowKey>({
  dataSet,
  kind,
  rows,
  personas,
  ours,
  simulated,
  findings,
}: DataSetPass<Content>): ValidatedDataSet {
  return {
    kind: kind.name,
    source: dataSet.source,
    isGenerated: ours,
    ...(simulated !== undefined && { simulated }),
    rows,
    personas,
    errors: findings.errors,
    warnings: findings.warnings,
    counts: findings.counts,
    findings: findings.worst(),
  };
}
