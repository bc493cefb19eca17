import { join } from 'node:path';
import { Hono } from 'hono';
import { PROGRAM_FOLDER } from '../../data/program-folder';
import { readFailedPersonas } from '../../data/run/artifacts';
import type { OpenOptions } from '../../data/sets/open';
import { isDamage } from '../../engine/journal/failed-work';
import { isRelevant } from '../../rules/instances/relevance';
import { isQuotation } from '../../rules/verification/quotations';
import { readFailures } from '../../runs/failures/read-failures';
import type { Instance } from '../../schemas/dataset/instance';
import type { Persona } from '../../schemas/dataset/persona';
import { omitUndefined } from '../../schemas/omit-undefined';
import { quotePath } from '../../schemas/text/shell-text';
import type { VerificationRow } from '../../schemas/verification/verification';
import type {
  DialogueView,
  InstancePage,
  InstanceView,
  MessagePlace,
  PersonaView,
  SessionView,
  VerificationView,
  WholeAnswers,
} from './answers';
import { readAnalyses, readCharts } from './analyses';
import { buildFolderCostTable, createCostLookup, readCosts } from './costs';
import { readDialogue, readPersonaCost } from './dialogue';
import { filterSchema, type IndexedInstance } from './filter';
import { readLeaderboards } from './leaderboard';
import { InstanceIndex } from './instance-index';
import { buildPage, describeListed, describeMissing, PAGE_ROWS, readCount } from './list';
import { countMissing, listMissing } from './missing';
import { servePage, type LocalPage, type PageEnvironment } from '../local-page';
import { readSummary } from './summary';
import { openSources, type DetailedInstance, type Sources } from './sources';
import { readUnfinished } from './unfinished';
import { linkPersona } from './workflow-link';

export interface ExplorerOptions extends OpenOptions {
  /** Absent for any free port. */
  readonly port?: number | undefined;
  /** Address of the proxy that shows the page, in which `{port}` is its port; absent for the one that the environment names, if any. */
  readonly publicUrl?: string | undefined;
  /** Address of the UI of the run's cluster; absent if unknown. */
  readonly temporalUi?: string | undefined;
}

/**
 * Serves the explorer of a run, results folders, or data.
 * @throws DataError when a name is neither a run, results nor data, PortError when the port is in use
 */
export async function openExplorer(names: readonly string[], options: ExplorerOptions): Promise<LocalPage> {
  const explored = await openExplored(names, options);
  try {
    const { port, publicUrl, environment } = options;
    const page = await servePage({ files: PAGE, api: createApi(explored), port, publicUrl, environment });
    return {
      ...page,
      async close() {
        await page.close();
        await explored.close();
      },
    };
  } catch (error) {
    await explored.close();
    throw error;
  }
}

/** Directory of the page that `npm run build` writes. */
const PAGE = join(PROGRAM_FOLDER, 'pages', 'explore', 'page');

/** Opened sources, and the answers to the requests of their page. */
export interface Explored {
  readonly sources: Sources;
  readonly index: InstanceIndex;
  /** Readers of the answers about all that the page shows. */
  readonly whole: { readonly [Name in keyof WholeAnswers]: () => Promise<WholeAnswers[Name]> };
  list(query: Readonly<Record<string, string>>): Promise<InstancePage>;
  findView(persona: string, type: string): Promise<InstanceView | undefined>;
  readDialogue(persona: number, session: number): Promise<DialogueView>;
  close(): Promise<void>;
}

/**
 * Opens a run, results folders, or data.
 * @throws DataError when a name is neither a run, results nor data
 */
export async function openExplored(
  names: readonly string[],
  { temporalUi, ...options }: Omit<ExplorerOptions, 'port' | 'publicUrl'>,
): Promise<Explored> {
  const sources = await openSources(names, options);
  const index = await InstanceIndex.open(sources);
  // Starts the reading, which continues while the browser starts.
  index.progress();
  const { run } = sources;
  // Ledgers are read once, as the data are; those of a run in progress grow.
  const costsByFolder = new Map<string, ReturnType<typeof readCosts>>();
  const costsOf = (path: string) => {
    const costs = costsByFolder.get(path) ?? readCosts(path);
    if (!index.progress().live) costsByFolder.set(path, costs);
    return costs;
  };

  const wholeAnswers: Explored['whole'] = {
    async about() {
      await index.waitFor(1);
      const failures = run && (await readFailedPersonas(run.folder.store)).flat().length;
      return {
        names,
        simulated: sources.instances.simulated === true || index.results.isSimulated,
        columns: index.results.columns,
        facets: index.facets(),
        verdictsVersion: index.verdicts.version,
        hasLabels: index.labels.summary !== undefined,
        warnings: index.warnings,
        ...(failures === undefined ? {} : { failures }),
        ...(sources.results.length === 0 ? {} : { missing: countMissing(index.results.missing) }),
        unfinished: (await wholeAnswers.unfinished()).length,
        progress: index.progress(),
      };
    },
    summary: () => readSummary(sources, index.review),
    async leaderboards() {
      const isRead = !index.progress().reading;
      const boards = await Promise.all(
        sources.results.map(async (folder) => {
          const costs = isRead ? await costsOf(folder.path) : undefined;
          return readLeaderboards({
            folder,
            hasOthers: sources.results.length > 1,
            rows: isRead ? index.results : undefined,
            findCost: costs && createCostLookup(costs),
          });
        }),
      );
      return boards.flat();
    },
    analyses: async () => (await Promise.all(sources.results.map(readAnalyses))).flat(),
    charts: () => readCharts(sources.results),
    async costs() {
      const runFolders = run === undefined ? [] : [sources.data ?? run.folder.path];
      const tables = await Promise.all(
        [...runFolders, ...sources.results.map(({ path }) => path)].map(async (folder) => {
          const costs = await costsOf(folder);
          return costs === undefined ? [] : [buildFolderCostTable(folder, costs)];
        }),
      );
      return tables.flat();
    },
    async failures() {
      if (run === undefined) return [];
      const { failures, folder } = await readFailures(run.folder.path);
      return Promise.all(
        failures.map(async (failure) => ({
          ...failure,
          retry: `cupid retry ${quotePath(folder)} ${isDamage(failure) ? '--damaged' : `--only ${failure.name}`}`,
          ...omitUndefined({ workflow: await linkPersona(run, failure.persona, temporalUi) }),
        })),
      );
    },
    missing: () => listMissing(sources.results, index.results.missing),
    unfinished: async () => (run === undefined ? [] : readUnfinished(run)),
  };
  return {
    sources,
    index,
    whole: wholeAnswers,
    async list(query) {
      const filter = filterSchema.parse(query);
      const from = readCount(query['from']);
      // This page is complete after so many instances, unless the query filters or sorts.
      await index.waitFor(from + PAGE_ROWS);
      const matching = await index.select(filter);
      return buildPage(matching, from, index.progress(), (row) => index.getKnown(row));
    },
    async findView(persona, type) {
      const row = await findInstance(index, persona, type);
      return row && readView(sources, index, row, temporalUi);
    },
    async readDialogue(persona, session) {
      return run === undefined
        ? { turns: [] }
        : readDialogue(run.folder.store, run.plan, { persona, session });
    },
    close: () => index.close(),
  };
}

function createApi(explored: Explored): Hono<PageEnvironment> {
  const api = new Hono<PageEnvironment>();

  for (const [name, read] of Object.entries(explored.whole))
    api.get(`/${name}`, async (context) => context.json(await read()));

  api.get('/progress', (context) => context.json(explored.index.progress()));

  api.get('/instances', async (context) => context.json(await explored.list(context.req.query())));

  api.get('/instance', async (context) => {
    const { persona = '', type = '' } = context.req.query();
    const view = await explored.findView(persona, type);
    if (view === undefined) return context.json({ error: describeMissing(persona, type) }, 404);
    return context.json(view);
  });

  api.get('/dialogue', async (context) => {
    const [persona, session] = ['persona', 'session'].map((name) => readCount(context.req.query(name)));
    return context.json(await explored.readDialogue(persona ?? 0, session ?? 0));
  });

  return api;
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

async function readView(
  sources: Sources,
  index: InstanceIndex,
  row: IndexedInstance,
  temporalUi: string | undefined,
): Promise<InstanceView> {
  const { run } = sources;
  const detailed = await sources.instances.read(row.place);
  const { instance, stored, provenance } = detailed;
  const persona = stored?.record.persona;
  const verified = await index.verdicts.readRow(row.key);
  return {
    instance,
    sessions: describeSessions(detailed),
    listed: describeListed(index.getKnown(row)),
    results: await index.results.read(row.key),
    labelled: index.labels.list(row),
    ...omitUndefined({
      persona: persona && describePersona(persona),
      provenance,
      cost: run && persona && (await readPersonaCost(run, persona.id)),
      workflow: run && persona && (await linkPersona(run, persona.id, temporalUi)),
      verification: verified && describeVerification(instance, verified),
    }),
  };
}

function describeSessions({ instance, stored, provenance }: DetailedInstance): SessionView[] {
  return instance.prior_interactions.map((prior, at) => {
    const number = provenance?.prior_sessions[at];
    const session = stored?.record.sessions.find(({ id }) => id === number);
    return {
      relation: isRelevant(prior, instance)
        ? 'relevant'
        : prior.context_factor === instance.current_context_factor
          ? 'other-preference'
          : 'other',
      number,
      task: session?.task_type,
      checklist: session?.checklist,
      isSatisfied:
        number === undefined ? undefined : provenance?.unsatisfied_sessions.includes(number) === false,
    };
  });
}

function describePersona({
  id,
  occupation,
  description,
  career_level: level,
  personality_traits: traits,
  personal_values: values,
  decision_making_styles: style,
}: Persona): PersonaView {
  return {
    number: id,
    occupation,
    description,
    traits: [level, ...traits, ...values, style].filter(Boolean),
  };
}

function describeVerification(instance: Instance, row: VerificationRow): VerificationView {
  return { row, first: row.items.map(({ quotations }) => findFirst(instance, quotations)) };
}

/** Finds the first message that contains one of the quotations. */
function findFirst(
  { prior_interactions: prior }: Instance,
  quotations: readonly string[],
): MessagePlace | null {
  for (const [session, { dialogue }] of prior.entries()) {
    const message = dialogue.findIndex((turn) =>
      quotations.some((quotation) => isQuotation(quotation, [turn])),
    );
    if (message >= 0) return { session, message };
  }
  return null;
}
