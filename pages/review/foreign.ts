import { z } from 'zod';
import { describeIssues } from '../../schemas/text/issues';
import { DataError } from '../../data/sets/error';
import { isQualification } from '../../rules/review/qualification';
import { MATCH_LABELS } from '../../schemas/evaluation/evaluation';
import type { AnnotationTool } from '../../schemas/review/annotation-tool';
import type { Annotation, ReviewTask, Revision, ShownMessage } from '../../schemas/review/review';
import type { NewAnnotation } from './answers';
import { QUALIFICATION_TEXT, QUESTIONS } from './form-texts';

/** A rater's tasks, to be annotated in another tool. */
export interface ForeignTasks {
  /** Of the review. */
  readonly review: string;
  readonly rater: string;
  /** Those of the qualification first, then in the rater's order. */
  readonly tasks: readonly {
    readonly task: ReviewTask;
    readonly own: Annotation | undefined;
    readonly others: readonly Annotation[];
  }[];
}

/** What a file of another tool has. */
export interface ForeignAnnotations {
  readonly source: AnnotationTool;
  readonly annotations: readonly ForeignAnnotation[];
  /** Tasks that their rater skipped or has not submitted. */
  readonly unsubmitted: number;
}

export interface ForeignAnnotation {
  /** Names file and task in messages. */
  readonly place: string;
  readonly task: ReviewTask;
  readonly annotation: NewAnnotation;
  /** Absent where the file does not say. */
  readonly annotatedAt?: Date;
}

/** What a task of another tool's file says of itself, as the export wrote it. */
export const foreignOriginSchema = z.object({ review: z.string(), rater: z.string(), task: z.string() });
export type ForeignOrigin = z.infer<typeof foreignOriginSchema>;

/** The values that a rater gave in another tool's fields, before they are checked. */
interface ForeignValues {
  /** By the field's name. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The field of an item's label, by its index. */
  readonly nameLabel: (item: number) => string;
  /** The fields of labels of all items that a task may have. */
  readonly labelPattern: RegExp;
  readonly revisions: readonly Revision[];
}

/**
 * A rater's annotation of a task in another tool.
 * @param origin the task that the file names
 * @throws DataError that names place and field, what was expected and found
 */
export function readForeignValues(
  place: string,
  task: ReviewTask,
  rater: string,
  { values, nameLabel, labelPattern, revisions }: ForeignValues,
): NewAnnotation {
  const read = <T>(field: string, schema: z.ZodType<T>): T => {
    const parsed = schema.safeParse(values.get(field));
    if (parsed.success) return parsed.data;
    throw new DataError(
      `${describeIssues(`${place}, ${field}`, parsed.error, values.get(field))} ${ANNOTATE_AGAIN}`,
    );
  };
  const fields = task.checklist.map((_, item) => nameLabel(item));
  const beyond = [...values.keys()].find((name) => labelPattern.test(name) && !fields.includes(name));
  if (beyond !== undefined) {
    throw new DataError(
      `${place}, ${beyond}: this task has ${task.checklist.length} items, so there is nothing to label. ${ANNOTATE_AGAIN}`,
    );
  }
  return {
    task: task.task,
    rater,
    labels: fields.map((field) => read(field, z.enum(MATCH_LABELS))),
    realism: read('realism', ratingSchema),
    implicitness: read('implicitness', ratingSchema),
    rejection: read('rejection', z.string().optional())?.trim() || null,
    revisions: [...revisions],
  };
}

const ratingSchema = z.number().int().min(1).max(7);

/** What to do about a task that was annotated in a way that does not fit. */
export const ANNOTATE_AGAIN = 'Correct it in that tool and export it again, or remove the annotation.';

/** The revision of a message: none where the text is the message's own. @throws DataError where it is empty */
export function reviseMessage({ opening, at, text }: ShownMessage, after: string, place: string): Revision[] {
  if (after.trim() === '')
    throw new DataError(`${place}: the new text of a message is empty. ${ANNOTATE_AGAIN}`);
  return after === text ? [] : [{ opening, at, before: text, after }];
}

/** What a task asks, in one paragraph. */
export function describeTask({ task, kind }: ReviewTask): { readonly title: string; readonly hint: string } {
  const { title, hint } = QUESTIONS[kind];
  return { title, hint: isQualification(task) ? `${QUALIFICATION_TEXT} ${hint}` : hint };
}

/** An item with the passages that `cupid verify` quoted for it, and, for the third rater, what the others chose. */
export function describeItem(
  { checklist, evidence }: ReviewTask,
  at: number,
  others: readonly Annotation[],
): string {
  return [
    `${at + 1}. ${checklist[at] ?? ''}`,
    ...(evidence?.[at] ?? []).map((quotation) => `Quoted: “${quotation}”`),
    ...others.map(({ rater, labels }) => `${rater}: ${labels[at]?.[0] ?? ''}`),
  ].join('\n');
}
