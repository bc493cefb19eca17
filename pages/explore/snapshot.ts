import { join } from 'node:path';
import { readFailedPersonas } from '../../data/run/artifacts';
import type { OpenOptions } from '../../data/sets/open';
import { isDamage } from '../../engine/journal/failed-work';
import { readFailures } from '../../runs/failures/read-failures';
import { RUN_FILE } from '../../runs/folder/run-folder';
import { omitUndefined } from '../../schemas/omit-undefined';
import { quotePath } from '../../schemas/text/shell-text';
import { buildAnalyses, drawCharts } from './analyses';
import type { DialogueView, InstancePage, InstanceView, SourceState, WholeAnswers } from './answers';
import { buildFolderCostTable, createCostLookup, readCosts } from './costs';
import { readDialogue } from './dialogue';
import { type IndexedInstance, readFilter } from './filter';
import { InstanceIndex } from './instance-index';
import { readInstanceView } from './instance-view';
import { buildLeaderboards } from './leaderboard';
import { buildPage, PAGE_ROWS, readCount } from './list';
import { countMissing, listMissing } from './missing';
import { openSources, type Sources } from './sources';
import { readSummary } from './summary';
import { readUnfinished } from './unfinished';
import { linkPersona } from './workflow-link';

export interface SnapshotOptions extends OpenOptions {
  /** Address of the UI of the run's cluster; absent if unknown. */
  readonly temporalUi?: string | undefined;
}

/**
 * One state of the sources, and the answers about it. All answers are of the files as they were when it was opened. Only a run that was in
 * progress then is followed: what it adds appears until it ends.
 */
export interface Snapshot {
  /** Hash of what it was read from. */
  readonly name: string;
  readonly sources: Sources;
  readonly index: InstanceIndex;
  /** Readers of the answers about all that the page shows. */
  readonly whole: WholeReaders;
  readState(): Promise<SourceState>;
  list(query: Readonly<Record<string, string>>): Promise<InstancePage>;
  findView(persona: string, type: string): Promise<InstanceView | undefined>;
  readDialogue(persona: number, session: number): Promise<DialogueView>;
  close(): Promise<void>;
}

type WholeReaders = { readonly [Name in keyof WholeAnswers]: () => Promise<WholeAnswers[Name]> };

/**
 * Opens a run, results folders, or data.
 * @throws DataError when a name is neither a run, results nor data
 */
export async function openSnapshot(
  names: readonly string[],
  { temporalUi, ...options }: SnapshotOptions,
): Promise<Snapshot> {
  const sources = await openSources(names, options);
  const { run, files } = sources;
  const { name } = files;
  const index = await InstanceIndex.open(sources);
  const readers = createReaders({ names, name, sources, index, temporalUi });
  // Starts the reading, which continues while the browser starts.
  void keepAll(index, readers);
  return {
    name,
    sources,
    index,
    whole: readers,
    readState: async () => ({ ...index.progress(), snapshot: name, hasChanged: await files.haveChanged() }),
    async list(query) {
      const from = readCount(query['from']);
      // This page is complete after so many instances, unless the query filters or sorts.
      // Which columns a link names is known once all results are read.
      await index.waitFor(query['columns'] === undefined ? from + PAGE_ROWS : Infinity);
      const matching = await index.select(readFilter(query, index.results.columns));
      return buildPage(matching, from, index.progress(), (row) => index.getKnown(row));
    },
    async findView(persona, type) {
      const row = await findInstance(index, persona, type);
      return row && readOfRun(sources, () => readInstanceView(sources, index, row, temporalUi));
    },
    async readDialogue(persona, session) {
      return run === undefined
        ? { turns: [] }
        : readOfRun(sources, () => readDialogue(run.folder.store, run.plan, { persona, session }));
    },
    close: () => index.close(),
  };
}

/** Reads something of the run. @throws DataError when the run was continued although it had ended: it is in another state */
async function readOfRun<T>({ run, files }: Sources, read: () => Promise<T>): Promise<T> {
  return run === undefined ? read() : files.readSame(join(run.folder.path, RUN_FILE), read);
}

/** Makes all answers once everything is read, because their files may change before a page asks for them. */
async function keepAll(index: InstanceIndex, readers: WholeReaders): Promise<void> {
  await index.waitFor(Infinity);
  // Charts and analyses are of results that are kept in memory, and drawing takes a second.
  const { charts: _charts, analyses: _analyses, ...fileReaders } = readers;
  // A page that asks for it gets the error.
  await Promise.allSettled(Object.values(fileReaders).map((read) => read()));
}

interface ReaderParts {
  readonly names: readonly string[];
  readonly name: string;
  readonly sources: Sources;
  readonly index: InstanceIndex;
  readonly temporalUi: string | undefined;
}

function createReaders({ names, name, sources, index, temporalUi }: ReaderParts): WholeReaders {
  const { run, results, files } = sources;
  const keep = <T>(read: () => Promise<T>) => keepAnswer(index, read);
  const readFolderCosts = new Map(
    [...(run === undefined ? [] : [run.folder.path]), ...results.map(({ path }) => path)].map((path) => [
      path,
      keep(() => files.readSame(join(path, RUN_FILE), () => readCosts(path))),
    ]),
  );
  const costsOf = async (path: string) => readFolderCosts.get(path)?.();
  const readFailedWork = keep(async () => run && readOfRun(sources, () => readFailures(run.folder.path)));
  const unfinished = keep(async () =>
    run === undefined ? [] : readOfRun(sources, () => readUnfinished(run)),
  );
  return {
    about: keep(async () => {
      await index.waitFor(1);
      const failures = run && (await readFailedPersonas(run.folder.store)).flat().length;
      return {
        names,
        snapshot: name,
        simulated: sources.instances.simulated === true || index.results.isSimulated,
        columns: index.results.columns,
        facets: index.facets(),
        hasVerdicts: !index.verdicts.isEmpty,
        hasLabels: index.labels.summary !== undefined,
        warnings: index.warnings,
        ...(failures === undefined ? {} : { failures }),
        ...(results.length === 0 ? {} : { missing: countMissing(index.results.missing) }),
        unfinished: (await unfinished()).length,
        progress: index.progress(),
      };
    }),
    summary: keep(() => readOfRun(sources, () => readSummary(sources, index.verdicts.results, index.review))),
    leaderboards: keep(async () => {
      const isRead = !index.progress().reading;
      const evaluations = await Promise.all(
        results.map(async (folder) => {
          const costs = isRead ? await costsOf(folder.path) : undefined;
          return {
            folder,
            rows: isRead ? index.results : undefined,
            findCost: costs && createCostLookup(costs),
          };
        }),
      );
      return buildLeaderboards(evaluations);
    }),
    analyses: async () => results.flatMap(buildAnalyses),
    charts: keep(() => drawCharts(results)),
    costs: keep(async () => {
      const folders = [
        ...(run === undefined ? [] : [{ name: sources.data ?? run.folder.path, path: run.folder.path }]),
        ...results,
      ];
      const tables = await Promise.all(
        folders.map(async (folder) => {
          const costs = await costsOf(folder.path);
          return costs === undefined ? [] : [buildFolderCostTable(folder.name, costs)];
        }),
      );
      return tables.flat();
    }),
    async failures() {
      const failedWork = await readFailedWork();
      if (run === undefined || failedWork === undefined) return [];
      const { failures, folder } = failedWork;
      return Promise.all(
        failures.map(async (failure) => ({
          ...failure,
          retry: `cupid retry ${quotePath(folder)} ${isDamage(failure) ? '--damaged' : `--only ${failure.name}`}`,
          ...omitUndefined({ workflow: await linkPersona(run, failure.persona, temporalUi) }),
        })),
      );
    },
    missing: keep(() => listMissing(results, index.results.missing)),
    unfinished,
  };
}

/** Keeps an answer about sources to which nothing is added. */
function keepAnswer<T>(index: InstanceIndex, read: () => Promise<T>): () => Promise<T> {
  let latest: { readonly version: number; readonly answer: Promise<T> } | undefined;
  return async () => {
    const { version, live, reading } = index.progress();
    if (live || reading) return read();
    if (latest?.version !== version) {
      const answer = read();
      latest = { version, answer };
      answer.catch(() => (latest = undefined));
    }
    return latest.answer;
  };
}

/** Finds an instance by its key. Waits until it is read, because links may lead to any instance. */
async function findInstance(
  index: InstanceIndex,
  persona: string,
  type: string,
): Promise<IndexedInstance | undefined> {
  for (let count = 1; ; count = index.rows.length + 1) {
    const row = index.find(persona, type);
    if (row !== undefined || !index.progress().reading) return row;
    await index.waitFor(count);
  }
}
