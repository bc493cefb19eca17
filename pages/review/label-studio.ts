import { z } from 'zod';
import { DataError } from '../../data/sets/error';
import { parseRow } from '../../data/readers/parse-row';
import { MATCH_LABELS } from '../../schemas/evaluation/evaluation';
import type { Annotation, ReviewTask, Revision } from '../../schemas/review/review';
import {
  ANNOTATE_AGAIN,
  describeItem,
  describeTask,
  foreignOriginSchema,
  readForeignValues,
  reviseMessage,
  type ForeignAnnotation,
  type ForeignAnnotations,
  type ForeignOrigin,
  type ForeignTasks,
} from './foreign';
import {
  describeOthers,
  LABEL_TEXTS,
  MESSAGES_TITLES,
  RATING_MAX,
  RATING_SCALE,
  RATINGS,
  titleMessage,
} from './form-texts';

/** The labeling interface of a project in Label Studio. Its Repeater tags make a control for each item and each message of a task. */
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

/** The tasks of a rater in the JSON that Label Studio imports. */
export function renderLabelStudioTasks({ review, rater, tasks }: ForeignTasks): object[] {
  return tasks.map(({ task, own, others }) => {
    const { title, hint } = describeTask(task);
    return {
      data: {
        review,
        rater,
        task: task.task,
        question: title,
        about: [hint, ...describeOthers(task, others)].join('\n'),
        items: task.checklist.map((_, at) => ({ text: describeItem(task, at, others) })),
        heading: MESSAGES_TITLES[task.kind],
        messages: task.messages.map((message) => ({ text: `${titleMessage(message)}\n${message.text}` })),
      },
      annotations: own === undefined ? [] : [{ result: renderResult(task, own) }],
    };
  });
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

/**
 * The annotations in a file that Label Studio exported as JSON.
 * @param findTask the task that the file names; it throws where that is not of this review
 * @throws DataError that names task and field
 */
export function readLabelStudio(
  rows: readonly unknown[],
  file: string,
  findTask: (origin: ForeignOrigin, place: string) => ReviewTask,
): ForeignAnnotations {
  const annotations: ForeignAnnotation[] = [];
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
      annotation: readForeignValues(place, task, data.rater, {
        values: readValues(given.result, place),
        nameLabel,
        labelPattern: /^label_\d+$/,
        revisions: given.result.flatMap((one) => readRevision(one, task, place)),
      }),
      ...(given.updated_at !== undefined && { annotatedAt: new Date(given.updated_at) }),
    });
  }
  return { source: 'label-studio', annotations, unsubmitted };
}

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

const taskSchema = z.object({
  data: foreignOriginSchema,
  annotations: z.array(
    z.object({
      result: z.array(resultSchema),
      /** True where the annotator skipped the task. */
      was_cancelled: z.boolean().nullish(),
      updated_at: z.iso.datetime({ offset: true }).optional(),
    }),
  ),
});

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

/** A text beside a message takes its place. */
function readRevision(result: Result, task: ReviewTask, place: string): Revision[] {
  const index = /^revision_(\d+)$/.exec(result.from_name)?.[1];
  if (index === undefined) return [];
  const message = task.messages[Number(index)];
  if (message === undefined) {
    throw new DataError(
      `${place}, ${result.from_name}: this task has ${task.messages.length} messages, numbered from 0. ${ANNOTATE_AGAIN}`,
    );
  }
  return reviseMessage(message, String(getValue(result)), `${place}, ${result.from_name}`);
}
