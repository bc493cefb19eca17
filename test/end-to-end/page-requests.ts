import * as z from 'zod';
import type { Running } from './command';
import { until } from './processes';

/** Sends a request to a page, with a body as POST. Returns the answer's text, whatever its status. */
export type Ask = (path: string, body?: object) => Promise<string>;

/** Waits for the first link that a command prints, and returns requests as of a browser that opened it; undefined when the command ends before. */
export async function untilServed(running: Running): Promise<Ask | undefined> {
  let isOver = false;
  let link: string | undefined;
  let printed = '';
  running.child.stdout?.on('data', (text: string) => {
    printed += text;
    link ??= /http:\S+(?=\s)/.exec(printed)?.[0];
  });
  void running.ended.then(() => (isOver = true));
  await until(() => isOver || link !== undefined);
  return link === undefined ? undefined : createAsk(link);
}

function createAsk(link: string): Ask {
  const { origin, port, searchParams } = new URL(link);
  const headers = { cookie: `cupid-${port}=${searchParams.get('token') ?? ''}`, origin };
  return async (path, body) => {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(new URL(path, origin), { headers, ...sent })).text();
  };
}

/** Saves a rater's annotation of a task on the page of `cupid review`. Returns the page's answer. */
export async function saveAnnotation(
  ask: Ask,
  { rater, task }: { readonly rater: string; readonly task: string },
  rejection: string | null = null,
): Promise<string> {
  const answer = await ask(`/api/task?${new URLSearchParams({ task }).toString()}`);
  const { checklist } = taskViewSchema.parse(JSON.parse(answer)).task;
  const labels = checklist.map(() => 'Not Covered');
  const ratings = { labels, realism: 4, implicitness: 4 };
  return ask('/api/annotation', { task, rater, ...ratings, revisions: [], rejection });
}

const taskViewSchema = z.object({ task: z.object({ checklist: z.array(z.string()) }) });

/** Lists the names of the tasks of the rater whose link was opened, those of the qualification first. */
export async function listTasks(ask: Ask): Promise<string[]> {
  const answer = await ask('/api/tasks');
  return tasksSchema.parse(JSON.parse(answer)).tasks.map(({ task }) => task);
}

const tasksSchema = z.object({ tasks: z.array(z.object({ task: z.string() })) });
