import { join } from 'node:path';
import { Hono } from 'hono';
import { PROGRAM_FOLDER } from '../../data/program-folder';
import { servePage, type LocalPage, type PageEnvironment } from '../local-page';
import { SNAPSHOT_HEADER } from './answers';
import { describeMissing, readCount } from './list';
import { ServedSnapshot } from './served-snapshot';
import { openSnapshot, type SnapshotOptions } from './snapshot';

interface ExplorerOptions extends SnapshotOptions {
  /** Absent for any free port. */
  readonly port?: number | undefined;
  /** Address of the proxy that shows the page, in which `{port}` is its port; absent for the one that the environment names, if any. */
  readonly publicUrl?: string | undefined;
}

/**
 * Serves the explorer of a run, results folders, or data.
 * @throws DataError when a name is neither a run, results nor data, PortError when the port is in use
 */
export async function openExplorer(
  names: readonly string[],
  { port, publicUrl, ...options }: ExplorerOptions,
): Promise<LocalPage> {
  const { environment } = options;
  const explored = await ServedSnapshot.open(() => openSnapshot(names, options));
  try {
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

/** Creates the server of the page's requests. A page that names its snapshot gets answers of this one only. */
function createApi(explored: ServedSnapshot): Hono<PageEnvironment> {
  const api = new Hono<PageEnvironment>();

  api.get('/snapshot', (context) => context.json({ name: explored.current.name }));

  api.post('/snapshot', async (context) => {
    await explored.replace(context.req.header(SNAPSHOT_HEADER));
    return context.json({ name: explored.current.name });
  });

  api.get('/progress', async (context) => context.json(await explored.current.readState()));

  api.use(async (context, next) => {
    const { name } = explored.current;
    if ((context.req.header(SNAPSHOT_HEADER) ?? name) === name) return next();
    return context.json({ error: REPLACED }, 409);
  });

  api.get('/instances', async (context) => context.json(await explored.current.list(context.req.query())));

  api.get('/instance', async (context) => {
    const { persona = '', type = '' } = context.req.query();
    const view = await explored.current.findView(persona, type);
    if (view === undefined) return context.json({ error: describeMissing(persona, type) }, 404);
    return context.json(view);
  });

  api.get('/dialogue', async (context) => {
    const [persona, session] = ['persona', 'session'].map((name) => readCount(context.req.query(name)));
    return context.json(await explored.current.readDialogue(persona ?? 0, session ?? 0));
  });

  api.get('/:name', async (context, next) => {
    const answers = new Map<string, () => Promise<unknown>>(Object.entries(explored.current.whole));
    const read = answers.get(context.req.param('name'));
    return read === undefined ? next() : context.json(await read());
  });

  return api;
}

const REPLACED = 'This page shows an earlier state of the files. Choose “Show the new state”.';
