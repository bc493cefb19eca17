import { join } from 'node:path';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { drawQualification, listUnqualified } from '../rules/review/qualification';
import { orderTasks } from '../rules/review/tasks';
import { decideTask } from '../rules/review/outcome';
import { matchLabelSchema } from '../schemas/evaluation/evaluation';
import { annotationSchema, type Annotation, type ReviewTask } from '../schemas/review/review';
import type { NewAnnotation, RaterTasks, ReviewAbout, TaskView } from './answers';
import type { WaitingReview } from './carry-out';
import type { Annotations, ReviewFolder } from './folder';
import { computeReviewProgress } from './progress';

/** The directory of the page's files. */
export const REVIEW_PAGE = join(__dirname, 'page');

const newAnnotationSchema: z.ZodType<NewAnnotation> = annotationSchema
  .pick({ task: true, rater: true, realism: true, implicitness: true, revisions: true, rejection: true })
  .extend({ labels: z.array(matchLabelSchema) });

const SHOWN_TASKS = 50;

/** What the page of `cupid review` asks, and what it sends. */
export function createReviewApi(
  review: ReviewFolder,
  annotations: Annotations,
  waiting: WaitingReview,
): Hono {
  const { plan, tasks } = review;
  const qualification = drawQualification([...tasks.values()], plan.seed);
  const known = new Map<string, ReviewTask>([
    ...tasks,
    ...qualification.map((task): [string, ReviewTask] => [task.task, task]),
  ]);
  const listOpenQualification = (rater: string) =>
    listUnqualified(qualification, (task) => annotations.of(task).get(rater));
  const api = new Hono();

  api.get('/about', (context) => {
    const about: ReviewAbout = {
      source: plan.data.source,
      simulated: plan.data.simulated === true,
      raters: plan.raters,
      third: plan.third,
      progress: computeReviewProgress(review, annotations),
    };
    return context.json(about);
  });

  api.get('/tasks', (context) => {
    const rater = requireRater(context.req.query('rater'));
    const failed = listOpenQualification(rater).map(({ task }) => task);
    const isQualified = failed.length === 0;
    const own = isQualified ? listOwnTasks(rater) : qualification.map(({ task }) => task);
    const isDone = (task: string) => (isQualified ? annotations.of(task).has(rater) : !failed.includes(task));
    const done = own.filter(isDone);
    const open = own.filter((task) => !isDone(task));
    const shown = [...open.slice(0, SHOWN_TASKS), ...done.slice(-SHOWN_TASKS)];
    const listed: RaterTasks = {
      isQualified,
      all: own.length,
      done: done.length,
      tasks: shown.map((task) => ({ task, isDone: isDone(task) })),
    };
    return context.json(listed);
  });

  api.get('/task', (context) => {
    const rater = requireRater(context.req.query('rater'));
    const task = known.get(context.req.query('task') ?? '');
    if (task === undefined) return context.json({ error: 'There is no such task.' }, 404);
    const given = annotations.of(task.task);
    const { instance_types: _, ...shown } = task;
    const view: TaskView = {
      task: shown,
      own: given.get(rater) ?? null,
      others: rater === plan.third ? plan.raters.flatMap((other) => given.get(other) ?? []) : [],
    };
    return context.json(view);
  });

  api.post('/annotation', async (context) => {
    const parsed = newAnnotationSchema.safeParse(await context.req.json());
    if (!parsed.success) return context.json({ error: z.prettifyError(parsed.error) }, 400);
    const { labels, revisions, ...sent } = parsed.data;
    requireRater(sent.rater);
    const task = known.get(sent.task);
    if (task === undefined) return context.json({ error: 'There is no such task.' }, 404);
    const problem = findProblem(task, parsed.data);
    if (problem !== undefined) return context.json({ error: problem }, 400);
    const annotation: Annotation = {
      ...sent,
      revisions: [...revisions],
      preference: task.preference,
      checklist: task.checklist,
      labels: labels.map((label) => [matchLabelSchema.parse(label)]),
      annotated_at: new Date().toISOString(),
    };
    await annotations.add(annotation);
    const progress = computeReviewProgress(review, annotations);
    await waiting.report(progress.decided);
    return context.json(progress);
  });

  api.onError((error, context) =>
    error instanceof HTTPException
      ? context.json({ error: error.message }, error.status)
      : context.json({ error: error.message }, 500),
  );
  return api;

  function requireRater(name: string | undefined): string {
    if (name !== undefined && (plan.raters.includes(name) || name === plan.third)) return name;
    throw new HTTPException(400, { message: `This review has no rater ${JSON.stringify(name ?? '')}.` });
  }

  /** All tasks, in the rater's order; the third rater's are those in which the two others differ. */
  function listOwnTasks(rater: string): string[] {
    const names = orderTasks([...tasks.keys()], plan.seed, rater);
    if (rater !== plan.third) return names;
    return names.filter((name) => {
      const task = tasks.get(name);
      if (task === undefined) return false;
      const given = new Map([...annotations.of(name)].filter(([by]) => by !== rater));
      return decideTask(task, given, plan).state === 'disputed';
    });
  }

  function findProblem(task: ReviewTask, { rater, labels, revisions }: NewAnnotation): string | undefined {
    if (labels.length !== task.checklist.length) return 'Every item of the checklist needs a label.';
    if (!task.task.startsWith('qualification/') && listOpenQualification(rater).length > 0) {
      return 'The qualification comes first.';
    }
    const foreign = revisions.find(
      ({ opening, at, before }) =>
        !task.messages.some(
          (message) => message.opening === opening && message.at === at && message.text === before,
        ),
    );
    return foreign === undefined ? undefined : 'A revised message is not one of this task.';
  }
}
