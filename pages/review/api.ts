import { join } from 'node:path';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { PROGRAM_FOLDER } from '../../data/program-folder';
import { describeIssues } from '../../schemas/text/issues';
import { matchLabelSchema } from '../../schemas/evaluation/evaluation';
import { annotationSchema } from '../../schemas/review/review';
import type { ListedTasks, NewAnnotation, ReviewAbout, TaskView } from './answers';
import type { WaitingReview } from './carry-out';
import { buildAnnotation, type Annotations, type ReviewFolder } from './folder';
import { followProgress } from './progress';
import { RaterTasks } from './rater-tasks';

/** The directory of the page's files. */
export const REVIEW_PAGE = join(PROGRAM_FOLDER, 'pages', 'review', 'page');

const newAnnotationSchema: z.ZodType<NewAnnotation> = annotationSchema
  .pick({ task: true, rater: true, realism: true, implicitness: true, revisions: true, rejection: true })
  .extend({ labels: z.array(matchLabelSchema) });

const SHOWN_TASKS = 50;

/** Creates the server of the requests that the page of `cupid review` makes. */
export function createReviewApi(
  review: ReviewFolder,
  annotations: Annotations,
  waiting: WaitingReview,
): Hono {
  const { plan } = review;
  const tasks = new RaterTasks(review, annotations);
  const computeProgress = followProgress(review, annotations);
  const api = new Hono();

  api.get('/about', (context) => {
    const about: ReviewAbout = {
      source: plan.data.source,
      simulated: plan.data.simulated === true,
      raters: plan.raters,
      third: plan.third,
      progress: computeProgress(),
    };
    return context.json(about);
  });

  api.get('/tasks', (context) => {
    const rater = requireRater(context.req.query('rater'));
    const failed = tasks.listOpenQualification(rater).map(({ task }) => task);
    const isQualified = failed.length === 0;
    const own = isQualified ? tasks.listOwn(rater) : tasks.qualification.map(({ task }) => task);
    const isDone = (task: string) =>
      isQualified ? annotations.getLatest(task).has(rater) : !failed.includes(task);
    const done = own.filter(isDone);
    const open = own.filter((task) => !isDone(task));
    const shown = [...open.slice(0, SHOWN_TASKS), ...done.slice(-SHOWN_TASKS)];
    const listed: ListedTasks = {
      isQualified,
      all: own.length,
      done: done.length,
      tasks: shown.map((task) => ({ task, isDone: isDone(task) })),
    };
    return context.json(listed);
  });

  api.get('/task', (context) => {
    const rater = requireRater(context.req.query('rater'));
    const task = tasks.find(context.req.query('task') ?? '');
    if (task === undefined) return context.json({ error: 'There is no such task.' }, 404);
    const { instance_types: _, ...shown } = task;
    const view: TaskView = {
      task: shown,
      own: annotations.getLatest(task.task).get(rater) ?? null,
      others: tasks.listOthers(rater, task.task),
    };
    return context.json(view);
  });

  api.post('/annotation', async (context) => {
    const sent: unknown = await context.req.json();
    const parsed = newAnnotationSchema.safeParse(sent);
    if (!parsed.success)
      return context.json({ error: describeIssues('annotation', parsed.error, sent) }, 400);
    const { rater } = parsed.data;
    requireRater(rater);
    const task = tasks.find(parsed.data.task);
    if (task === undefined) return context.json({ error: 'There is no such task.' }, 404);
    const problem = tasks.isOpenTo(rater, task.task)
      ? tasks.findProblem(task, parsed.data)
      : 'The qualification comes first.';
    if (problem !== undefined) return context.json({ error: problem }, 400);
    await annotations.add(buildAnnotation(task, parsed.data, { source: 'page' }));
    const progress = computeProgress();
    if (progress.decided === progress.tasks) await waiting.finish();
    return context.json(progress);
  });

  api.onError((error, context) =>
    error instanceof HTTPException
      ? context.json({ error: error.message }, error.status)
      : context.json({ error: error.message }, 500),
  );
  return api;

  function requireRater(name: string | undefined): string {
    if (name !== undefined && tasks.raters.includes(name)) return name;
    throw new HTTPException(400, { message: `This review has no rater ${JSON.stringify(name ?? '')}.` });
  }
}
