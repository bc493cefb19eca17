import { tmpdir } from 'node:os';
import { deriveLicense, UNKNOWN_LICENSE } from '../data/card/licenses';
import { listPresent } from '../schemas/text/list-present';
import { readColumnNames } from '../data/readers/file-columns';
import type { DataSet } from '../data/sets/data-set';
import { DataError } from '../data/store/data-error';
import type { OpenOptions } from '../data/sets/open';
import {
  describePersonaFilter,
  isChosen,
  type PersonaOptions,
  readPersonaFilter,
  requireChosen,
} from '../data/sets/persona-filter';
import { useTemporaryDirectory } from '../data/store/directories';
import { requireEmptyPlace, writeNewFolder } from '../data/store/new-folder';
import type { ExportReport, WrittenPart } from '../schemas/dataset/export';
import {
  type BenchmarkFormat,
  type ExportFormat,
  HISTORY_FORMATS,
  isHistoryFormat,
  isResultFormat,
  isTableFormat,
  isTrainingFormat,
  TABLE_FORMATS,
  type TableFormat,
} from '../schemas/dataset/export-format';
import { findVerificationFolder, readVerification, type Verification } from '../data/sets/verification';
import type { Instance } from '../schemas/dataset/instance';
import type { HistoryTier } from '../schemas/evaluation/context';
import { hasSimulated } from '../schemas/model/model-spec';
import { formatCount, formatNumber } from '../schemas/text/count-text';
import { formatNames } from '../schemas/text/value-text';
import { writeBenchmark } from './benchmark/inspect';
import { writeLmEval } from './benchmark/lm-eval';
import { writeCroissant } from './export/croissant';
import { writeEvalResults } from './export/eval-results';
import { writeRecords } from './export/every-eval-ever';
import { selectHardest } from './export/hardest';
import { type LongHistory, openHistory } from './export/history';
import { writeMemoryData } from './export/memory';
import { writeReferenceInstances, writeReferenceReadme, writeReferenceRecords } from './export/reference';
import { openResults } from './export/results';
import { type PersonaSelection, selectPersonas } from './export/selection';
import { type ExportSource, openSource, requireInstances } from './export/source';
import { selectAccepted, selectAll } from './export/verified';
import { SHARD_BYTES, writeTable } from './export/tables';
import { openJudgements } from './training/judgements';
import { writeTrainingData } from './training/prefmatcher';
import { openTraining } from './training/training';
import { openNamedData, type NamedData } from './validation/named-data';
import type { Watch } from './watch';

export interface ExportRequest extends PersonaOptions {
  readonly format: ExportFormat;
  /** New or empty. */
  readonly outputDir: string;
  /** Only the instances that a verification accepted: its folder, or true for the one in the run's folder. */
  readonly verified?: string | true | undefined;
  /** How many personas are exported, the hardest ones by an evaluation's results; absent for all. */
  readonly hardest?: { readonly count: number; readonly results: string } | undefined;
  /** Length to which sessions of other personas extend the histories; absent for the data's own. */
  readonly history?: HistoryTier | undefined;
  /** `owner/name` of the published data set that Croissant or a benchmark describes; absent for data that were given by that name. */
  readonly repo?: string | undefined;
}

/** The signal ends the work; nothing is then left behind. */
interface ExportSurroundings extends OpenOptions, Watch {
  /** The most bytes of text in one Parquet file. */
  readonly shardBytes?: number;
}

/**
 * Writes a data set, a run or an evaluation's results in another form. The folder appears complete or not at all.
 * @param argument a file, a folder, an id of the Hub, a run's folder; for formats of results an evaluation's folder
 * @throws DataError when it cannot be found or read, a row is not sound, or the folder is not empty
 */
export async function exportData(
  argument: string,
  { format, outputDir, verified, hardest, history, repo, ...personas }: ExportRequest,
  surroundings: ExportSurroundings,
): Promise<ExportReport> {
  // Before anything is downloaded for it.
  await requireEmptyPlace(outputDir);
  if (history !== undefined && !isHistoryFormat(format)) {
    throw new DataError(
      `--history has no effect on --format ${format}: use --format ${HISTORY_FORMATS.join(', ')}, or leave it out.`,
    );
  }
  if (verified !== undefined && !isTableFormat(format)) {
    throw new DataError(
      `--verified writes a table of instances. Use --format ${TABLE_FORMATS.join(', ')}, or leave it out.`,
    );
  }
  if (hardest !== undefined && isTrainingFormat(format)) {
    throw new DataError(
      `--hardest may select personas of the test split, which are not for training. Use --split or --where-persona with --format ${format}, or leave it out.`,
    );
  }
  const selection =
    hardest === undefined
      ? await readSelection(personas)
      : await selectHardest(hardest.results, hardest.count, surroundings.signal);
  if (selection !== undefined && (isResultFormat(format) || format === 'croissant')) {
    throw new DataError(
      `--hardest, --split and --where-persona choose personas of a data set, but --format ${format} writes no rows of one. Choose another format, or leave them out.`,
    );
  }
  const write = await openExport(argument, { format, verified, selection, history, repo }, surroundings);
  return {
    format,
    folder: outputDir,
    ...(history && { history }),
    ...(await writeNewFolder(outputDir, write)),
  };
}

async function readSelection(options: PersonaOptions): Promise<PersonaSelection | undefined> {
  const filter = await readPersonaFilter(options);
  return (
    filter && {
      has: (persona) => isChosen(filter, persona),
      check: (names, name) => requireChosen(filter, names, name),
      statement: `Only ${describePersonaFilter(filter)} were exported.`,
    }
  );
}

interface ChosenRows extends Pick<ExportRequest, 'format' | 'verified' | 'history' | 'repo'> {
  readonly selection: PersonaSelection | undefined;
}

type WrittenData = Omit<ExportReport, 'format' | 'folder' | 'history'>;

/** Opens the data to export, and checks that they exist and are of the kind that the format needs. Returns what writes them into a new folder. */
async function openExport(
  argument: string,
  { format, ...rows }: ChosenRows,
  surroundings: ExportSurroundings,
): Promise<(folder: string) => Promise<WrittenData>> {
  const { selection, repo } = rows;
  if (isTrainingFormat(format)) {
    const write = await openTraining(argument, format, selection);
    return (folder) => write(folder, surroundings.shardBytes ?? SHARD_BYTES, surroundings);
  }
  if (format === 'prefmatcher') {
    const judgements = await openJudgements(argument, surroundings.signal);
    return (folder) => writeTrainingData(folder, judgements);
  }
  if (isResultFormat(format)) {
    const results = await openResults(argument);
    const write = format === 'eval-results' ? writeEvalResults : writeRecords;
    const { simulated } = results;
    return async (folder) => ({
      source: argument,
      simulated,
      ...(await write(folder, results, surroundings.signal)),
    });
  }
  const data = await openNamedData(argument, surroundings);
  if (format === 'reference') return (folder) => writeReferenceLayout(data, folder, surroundings, selection);
  if (format === 'croissant') return (folder) => writeDescription(data, folder, repo);
  return (folder) => writeOneTable(data, format, folder, surroundings, rows);
}

async function writeDescription(
  { dataSets }: NamedData,
  folder: string,
  repo: string | undefined,
): Promise<WrittenData> {
  const primary = chooseDataSet(dataSets);
  const { source, simulated } = primary.dataSet;
  const parts = await writeCroissant(folder, primary, repo);
  return { source, ...(simulated !== undefined && { simulated }), parts, notes: [] };
}

/** Returns the instances of a run; the records where there are no instances. */
function chooseDataSet(dataSets: NamedData['dataSets']): NamedData['dataSets'][number] {
  const primary = dataSets.find(({ kind }) => kind === 'instances') ?? dataSets[0];
  if (primary === undefined) throw new Error('No data set was opened. This is a defect; please report it.');
  return primary;
}

async function writeOneTable(
  { dataSets }: NamedData,
  format: TableFormat | BenchmarkFormat | 'memory',
  folder: string,
  { shardBytes = SHARD_BYTES, report, ...watch }: ExportSurroundings,
  { verified, selection, history: tier, repo }: Omit<ChosenRows, 'format'>,
): Promise<WrittenData> {
  const primary = chooseDataSet(dataSets);
  const secondary = dataSets.find((candidate) => candidate !== primary);
  const everyRow = await openSource(primary, watch);
  const source = selectPersonas(everyRow, selection, primary.dataSet.source);
  const verification =
    verified === undefined
      ? undefined
      : await readVerification(
          verified === true ? await findVerificationFolder(primary.dataSet) : verified,
          primary.dataSet,
        );
  if (verification !== undefined) requireInstances(source, primary.dataSet, '--verified');
  const withVerdicts = async (instances: ExportSource<Instance>) => {
    if (verification !== undefined) return selectAccepted(instances, verification);
    // Totals of all instances say nothing of some.
    return selection === undefined ? selectAll(instances, primary.dataSet) : instances;
  };
  const { rows, parts } = await writeAs();

  async function writeAs() {
    if (isTableFormat(format)) {
      return source.kind === 'instances'
        ? writeTable(folder, format, await withVerdicts(source), shardBytes)
        : writeTable(folder, format, source, shardBytes);
    }
    const instances = requireInstances(source, primary.dataSet, `--format ${format}`);
    if (format !== 'benchmark') {
      const write = format === 'memory' ? writeMemoryData : writeLmEval;
      return withHistory((history) => write(folder, instances, primary.dataSet, history));
    }
    const { complete, parts: questions } = await withHistory((history) =>
      writeBenchmark(folder, instances, repo, history),
    );
    const table = await writeTable(folder, 'parquet', await withVerdicts(instances), shardBytes, complete);
    return { ...table, parts: [...table.parts, ...questions] };
  }

  function withHistory<T>(write: (history: LongHistory | undefined) => Promise<T>): Promise<T> {
    if (tier === undefined) return write(undefined);
    return useTemporaryDirectory(tmpdir(), 'cupid-history-', async (scratch) => {
      const { dataSet } = primary;
      const instances = requireInstances(everyRow, dataSet, '--history');
      const has = selection?.has ?? (() => true);
      return write(await openHistory(scratch, instances, { tier, has, name: dataSet.source, report }));
    });
  }

  const { source: name, simulated } = primary.dataSet;
  const note = `The folder has two data sets. The instances were exported; the records are in ${secondary?.dataSet.argument}.`;
  return {
    source: name,
    [source.kind]: rows,
    ...(simulated !== undefined && { simulated }),
    parts,
    notes: listPresent(
      secondary && note,
      await listOtherColumns(primary.dataSet, source.columns.names.map(String)),
      verification && describeVerification(verification),
      selection?.statement,
    ),
  };
}

/** Returns a sentence about the columns that no file of this program has, or undefined when there are none. */
async function listOtherColumns(
  { files: [first] }: DataSet,
  columns: readonly string[],
): Promise<string | undefined> {
  const names = first === undefined ? [] : await readColumnNames(first);
  const otherColumns = names.filter((name) => !columns.includes(name));
  return otherColumns.length === 0
    ? undefined
    : `These columns are not CUPID's and were left out: ${formatNames(otherColumns)}.`;
}

function describeVerification({ results: { verifier, all } }: Verification): string {
  const simulated = hasSimulated([verifier]) ? ', a simulated model' : '';
  const note =
    all.accepted === all.n_instances
      ? 'The card says so.'
      : 'The others were left out, and the card says so.';
  return `${verifier}${simulated}, accepted ${formatNumber(all.accepted)} of ${formatCount(all.n_instances, 'instance')}. ${note}`;
}

async function writeReferenceLayout(
  { dataSets }: NamedData,
  folder: string,
  watch: ExportSurroundings,
  selection: PersonaSelection | undefined,
): Promise<WrittenData> {
  const parts: WrittenPart[] = [];
  const counts: Pick<ExportReport, 'instances' | 'records'> = {};
  for (const namedData of dataSets) {
    const source = selectPersonas(await openSource(namedData, watch), selection, namedData.dataSet.source);
    const { rows, written: writtenParts } =
      source.kind === 'records'
        ? await writeReferenceRecords(folder, source.rows())
        : await writeReferenceInstances(folder, source.rows());
    counts[source.kind] = rows;
    parts.push(...writtenParts);
  }
  const [simulated] = dataSets
    .flatMap(({ dataSet }) => dataSet.simulated ?? [])
    .toSorted((isSimulated) => (isSimulated ? -1 : 1));
  const [canary] = dataSets.flatMap((namedData) => namedData.dataSet.canary ?? []);
  const licenses = dataSets.flatMap(({ dataSet }) => dataSet.card?.license ?? []);
  const [license, secondLicense] = new Set(licenses.map(deriveLicense));
  const sources = dataSets.map(({ dataSet }) => dataSet.source);
  const marks = { simulated, canary, license: secondLicense === undefined ? license : UNKNOWN_LICENSE };
  parts.push(await writeReferenceReadme(folder, { sources, counts, ...marks }));
  return {
    source: sources.join(', '),
    ...counts,
    ...(simulated !== undefined && { simulated }),
    parts,
    notes: listPresent(
      counts.instances === undefined && WITHOUT_INSTANCES,
      counts.records === undefined && WITHOUT_RECORDS,
      selection?.statement,
    ),
  };
}

const WITHOUT_INSTANCES =
  'instances/, which evaluation reads, was not written: records do not contain which sessions their instances leave out. Name the ' +
  'run folder, which has both data sets.';

const WITHOUT_RECORDS =
  'personas.json and data/ were not written: instances do not describe their personas. Evaluation does not need these.';
