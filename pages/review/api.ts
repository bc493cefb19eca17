import { join } from 'node:path';
import { Hono } from 'hono';
import * as z from 'zod';
import { PROGRAM_FOLDER } from '../../data/program-folder';
import { describeIssues } from '../../schemas/text/issues';
import { matchLabelSchema } from '../../schemas/matching/match-label';
import { QUALIFICATION } from '../../rules/review/qualification';
import { annotationSchema, type NewAnnotation } from '../../schemas/review/review';
import { isDecided } from '../../rules/review/summary';
import type { PageEnvironment } from '../local-page';
import type { ListedTasks, ReviewAbout, SavedAnnotation, TaskView } from './answers';
import { buildAnnotation, getReview, type Annotations, type ReviewFolder } from '../../runs/review/folder';
import { RaterTasks } from '../../runs/review/rater-tasks';

/** The directory of the page's files. */
export const REVIEW_PAGE = join(PROGRAM_FOLDER, 'pages', 'review', 'page');

const newAnnotationSchema: z.ZodType<NewAnnotation> = annotationSchema
  .pick({ task: true, rater: true, realism: true, implicitness: true, revisions: true, rejection: true })
  .extend({ labels: z.array(matchLabelSchema) });

const SHOWN_TASKS = 50;

/**
 * Creates the server of the requests that the page of `cupid review` makes.
 * @param onDecided called once the annotation is stored that decides the last task
 */
export function createReviewApi(
  review: ReviewFolder,
  annotations: Annotations,
  onDecided: () => void,
): Hono<PageEnvironment> {
  const { plan } = review;
  const tasks = new RaterTasks(review, annotations);
  const api = new Hono<PageEnvironment>();

  api.get('/about', (context) => {
    const rater = context.get('visitor');
    return context.json({
      rater,
      isThird: rater === plan.third,
      simulated: plan.data.simulated === true,
    } satisfies ReviewAbout);
  });

  api.get('/tasks', (context) => {
    const rater = context.get('visitor');
    const failed = tasks.listOpenQualification(rater).map(({ task }) => task);
    const isQualified = failed.length === 0;
    const ratersTasks = isQualified ? tasks.listOwn(rater) : QUALIFICATION.map(({ task }) => task);
    const isDone = (task: string) =>
      isQualified ? annotations.getLatest(task).has(rater) : !failed.includes(task);
    const doneTasks = ratersTasks.filter(isDone);
    const openTasks = ratersTasks.filter((task) => !isDone(task));
    const listedTasks = [...openTasks.slice(0, SHOWN_TASKS), ...doneTasks.slice(-SHOWN_TASKS)];
    const listed: ListedTasks = {
      isQualified,
      all: ratersTasks.length,
      done: doneTasks.length,
      tasks: listedTasks.map((task) => ({ task, isDone: isDone(task) })),
    };
    return context.json(listed);
  });

  api.get('/task', (context) => {
    const rater = context.get('visitor');
    const task = tasks.find(context.req.query('task') ?? '');
    if (task === undefined) return context.json({ error: 'There is no such task.' }, 404);

    const { task: name, kind, checklist, messages, evidence } = task;
    const view: TaskView = {
      // Not the answers of the qualification.
      task: { task: name, kind, checklist, messages, evidence },
      latestAnnotation: annotations.getLatest(name).get(rater) ?? null,
      otherAnnotations: tasks.listOthers(rater, name),
    };
    return context.json(view);
  });

  api.post('/annotation', async (context) => {
    const sent: unknown = await context.req.json();
    const parsed = newAnnotationSchema.safeParse(sent);
    if (!parsed.success)
      return context.json({ error: describeIssues('annotation', parsed.error, sent) }, 400);
    const rater = context.get('visitor');
    // The page of one rater stays open when the link of another is opened in the same browser.
    if (parsed.data.rater !== rater) {
      return context.json({ error: describeOther(parsed.data.rater, rater) }, 403);
    }
    const task = tasks.find(parsed.data.task);
    if (task === undefined) return context.json({ error: 'There is no such task.' }, 404);
    const problem = tasks.isOpenTo(rater, task.task)
      ? tasks.findProblem(task, parsed.data)
      : 'The qualification comes first.';
    if (problem !== undefined) return context.json({ error: problem }, 400);
    await annotations.add(buildAnnotation(task, parsed.data));
    const saved: SavedAnnotation = { isFinished: isDecided(getReview(review, annotations)) };
    if (saved.isFinished) onDecided();
    return context.json(saved);
  });

  api.onError((error, context) => context.json({ error: error.message }, 500));
  return api;
}

function describeOther(rater: string, visitor: string): string {
  return `This browser has opened the link of ${visitor} since, so nothing was saved. Open the link of ${JSON.stringify(rater)} again, or reload the page to go on as ${visitor}.`;
}
