import * as z from 'zod';
import { DataError } from '../../data/store/data-error';
import { parseRow } from '../../data/readers/parse-row';
import { isQualification } from '../../rules/review/qualification';
import { MATCH_LABELS } from '../../schemas/matching/match-label';
import { LABEL_TEXTS } from '../../schemas/review/label-texts';
import type { Annotation, NewAnnotation, ReviewTask, Revision } from '../../schemas/review/review';
import { describeIssues } from '../../schemas/text/issues';
import {
  describeOthers,
  MESSAGES_TITLES,
  QUALIFICATION_TEXT,
  QUESTIONS,
  RATING_MAX,
  RATING_SCALE,
  RATINGS,
  titleMessage,
} from './form-texts';

/** Labeling interface of a project in Label Studio. Its Repeater tags make a control for each item and message of a task. */
export const LABEL_STUDIO_CONFIG = `<View>
  <Header value="$question"/>
  <Text name="about" value="$about"/>
  <Repeater on="$items" indexFlag="{{item}}">
    <View>
      <Text name="item_{{item}}" value="$items[{{item}}].text"/>
      <Choices name="label_{{item}}" toName="item_{{item}}" choice="single" showInline="true" required="true">
${MATCH_LABELS.map((label) => `        <Choice value="${LABEL_TEXTS[label]}" alias="${label}"/>`).join('\n')}
      </Choices>
    </View>
  </Repeater>
${Object.entries(RATINGS)
  .map(
    ([name, text]) => `  <Header value="${text} ${RATING_SCALE}" size="4"/>
  <Rating name="${name}" toName="about" maxRating="${RATING_MAX}" required="true"/>`,
  )
  .join('\n')}
  <Header value="$heading" size="4"/>
  <Repeater on="$messages" indexFlag="{{message}}">
    <View>
      <Text name="message_{{message}}" value="$messages[{{message}}].text"/>
      <TextArea name="revision_{{message}}" toName="message_{{message}}" rows="3" maxSubmissions="1" editable="true" placeholder="To edit this message, write the text that takes its place"/>
    </View>
  </Repeater>
  <Header value="To leave out what depends on this, say why" size="4"/>
  <TextArea name="rejection" toName="about" maxSubmissions="1" editable="true"/>
</View>
`;

/** Tasks of a rater for Label Studio. */
export interface LabelStudioTasks {
  /** The id of the review. */
  readonly review: string;
  readonly rater: string;
  /** The qualification first, then the others in the rater's order. */
  readonly tasks: readonly {
    readonly task: ReviewTask;
    readonly own: Annotation | undefined;
    readonly others: readonly Annotation[];
  }[];
}

/** Returns a rater's tasks in the JSON that Label Studio imports. */
export function renderLabelStudioTasks({ review, rater, tasks }: LabelStudioTasks): object[] {
  return tasks.map(({ task, own, others }) => {
    const { title, hint } = QUESTIONS[task.kind];
    const about = isQualification(task.task) ? `${QUALIFICATION_TEXT} ${hint}` : hint;
    return {
      data: {
        review,
        rater,
        task: task.task,
        question: title,
        about: [about, ...describeOthers(task, others)].join('\n'),
        items: task.checklist.map((_, at) => ({ text: describeItem(task, at, others) })),
        heading: MESSAGES_TITLES[task.kind],
        messages: task.messages.map((message) => ({ text: `${titleMessage(message)}\n${message.text}` })),
      },
      annotations: own === undefined ? [] : [{ result: renderResult(task, own) }],
    };
  });
}

/** Describes an item with its quotations from `cupid verify` and, for the third rater, the labels of the others. */
function describeItem(
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

function renderResult(task: ReviewTask, own: Annotation): object[] {
  return [
    ...own.labels.map((choices, at) => control(nameLabel(at), `item_${at}`, 'choices', { choices })),
    ...RATING_NAMES.map((name) => control(name, 'about', 'rating', { rating: own[name] })),
    ...own.revisions.flatMap(({ opening, at, after }) => {
      const index = task.messages.findIndex((one) => one.opening === opening && one.at === at);
      return index < 0
        ? []
        : [control(`revision_${index}`, `message_${index}`, 'textarea', { text: [after] })];
    }),
    ...(own.rejection === null ? [] : [control('rejection', 'about', 'textarea', { text: [own.rejection] })]),
  ];
}

function control(from_name: string, to_name: string, type: string, value: object): object {
  return { id: from_name, from_name, to_name, type, value };
}

const RATING_NAMES = ['realism', 'implicitness'] as const;

function nameLabel(item: number): string {
  return `label_${item}`;
}

/** Annotations of a file from Label Studio. */
export interface LabelStudioAnnotations {
  readonly annotations: readonly {
    /** File and task, for messages. */
    readonly place: string;
    readonly task: ReviewTask;
    readonly annotation: NewAnnotation;
    /** Absent if the file does not record it. */
    readonly annotatedAt?: Date;
  }[];
  /** Tasks that their rater skipped or has not submitted. */
  readonly unsubmitted: number;
}

/**
 * Reads the annotations of a file that Label Studio exported as JSON.
 * @param findTask returns the task that the file names, or throws if it belongs to another review
 * @throws DataError that names task and field
 */
export function readLabelStudio(
  rows: readonly unknown[],
  file: string,
  findTask: (origin: TaskOrigin, place: string) => ReviewTask,
): LabelStudioAnnotations {
  const annotations: LabelStudioAnnotations['annotations'][number][] = [];
  let unsubmitted = 0;
  for (const [index, row] of rows.entries()) {
    const { data, annotations: all } = parseRow(taskSchema, row, `${file}, entry ${index + 1}`, EXPORT_AGAIN);
    const place = `${file}, task ${data.task}`;
    const task = findTask(data, place);
    const [given, ...more] = all.filter(({ was_cancelled }) => was_cancelled !== true);
    if (more.length > 0) {
      throw new DataError(
        `${place} has ${more.length + 1} annotations, but it is a task of ${data.rater} alone. Remove those of others in Label Studio, and export it again.`,
      );
    }
    if (given === undefined) {
      unsubmitted += 1;
      continue;
    }
    annotations.push({
      place,
      task,
      annotation: readAnnotation(given.result, task, data.rater, place),
      ...(given.updated_at !== undefined && { annotatedAt: new Date(given.updated_at) }),
    });
  }
  return { annotations, unsubmitted };
}

const ANNOTATE_AGAIN = 'Correct it in that tool and export it again, or remove the annotation.';
const EXPORT_AGAIN =
  'Export the project from Label Studio as JSON, not as JSON-MIN or CSV, after importing the file that cupid review --export wrote.';

const textSchema = z.union([z.string(), z.array(z.string())]);

const resultSchema = z.discriminatedUnion('type', [
  z.object({
    from_name: z.string(),
    type: z.literal('choices'),
    value: z.object({ choices: z.array(z.string()).length(1) }),
  }),
  z.object({ from_name: z.string(), type: z.literal('rating'), value: z.object({ rating: z.number() }) }),
  z.object({ from_name: z.string(), type: z.literal('textarea'), value: z.object({ text: textSchema }) }),
]);
type Result = z.infer<typeof resultSchema>;

/** Fields that identify a task, as the export wrote them. */
const originSchema = z.object({ review: z.string(), rater: z.string(), task: z.string() });
export type TaskOrigin = z.infer<typeof originSchema>;

const taskSchema = z.object({
  data: originSchema,
  annotations: z.array(
    z.object({
      result: z.array(resultSchema),
      /** True if the annotator skipped the task. */
      was_cancelled: z.boolean().nullish(),
      updated_at: z.iso.datetime({ offset: true }).optional(),
    }),
  ),
});

/** @throws DataError with place, field, expectation and value */
function readAnnotation(
  results: readonly Result[],
  task: ReviewTask,
  rater: string,
  place: string,
): NewAnnotation {
  const values = readValues(results, place);
  const revisions = results.flatMap((one) => readRevision(one, task, place));
  const read = <T>(field: string, schema: z.ZodType<T>): T => {
    const parsed = schema.safeParse(values.get(field));
    if (parsed.success) return parsed.data;
    throw new DataError(
      `${describeIssues(`${place}, ${field}`, parsed.error, values.get(field))} ${ANNOTATE_AGAIN}`,
    );
  };
  const fields = task.checklist.map((_, item) => nameLabel(item));
  const beyond = [...values.keys()].find((name) => /^label_\d+$/.test(name) && !fields.includes(name));
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
    revisions,
  };
}

const ratingSchema = z.number().int().min(1).max(RATING_MAX);

function readValues(results: readonly Result[], place: string): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const result of results) {
    const { from_name: field } = result;
    if (values.has(field)) {
      throw new DataError(`${place}, ${field}: expected one answer, found more than one. ${ANNOTATE_AGAIN}`);
    }
    values.set(field, getValue(result));
  }
  return values;
}

function getValue(result: Result): unknown {
  if (result.type === 'choices') return result.value.choices[0];
  if (result.type === 'rating') return result.value.rating;
  return [result.value.text].flat().join('\n');
}

/** Reads the new text of a message, which replaces the message. */
function readRevision(result: Result, task: ReviewTask, place: string): Revision[] {
  const index = /^revision_(\d+)$/.exec(result.from_name)?.[1];
  if (index === undefined) return [];
  const message = task.messages[Number(index)];
  if (message === undefined) {
    throw new DataError(
      `${place}, ${result.from_name}: this task has ${task.messages.length} messages, numbered from 0. ${ANNOTATE_AGAIN}`,
    );
  }
  const after = String(getValue(result));
  if (after.trim() === '') {
    throw new DataError(
      `${place}, ${result.from_name}: the new text of a message is empty. ${ANNOTATE_AGAIN}`,
    );
  }
  const { opening, at, text: before } = message;
  return after === before ? [] : [{ opening, at, before, after }];
}
