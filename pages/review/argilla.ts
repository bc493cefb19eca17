import { z } from 'zod';
import { parseRow } from '../../data/readers/parse-row';
import { DataError } from '../../data/sets/error';
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
import { describeOthers, LABEL_TEXTS, RATING_MAX, RATING_SCALE, RATINGS } from './form-texts';

/** The files of a data set in the form of Argilla's `Dataset.from_disk`, by their paths. @param items how many the longest checklist has */
export function renderArgillaDataset(tasks: ForeignTasks, items: number): Readonly<Record<string, unknown>> {
  const { review, rater } = tasks;
  return {
    '.argilla/dataset.json': {
      name: `${review}-${rater}`,
      status: 'draft',
      guidelines: null,
      allow_extra_metadata: true,
    },
    '.argilla/settings.json': renderSettings(items),
    [ARGILLA_RECORDS]: tasks.tasks.map((one) => renderRecord(one, { review, rater })),
  };
}

export const ARGILLA_RECORDS = 'records.json';

function renderSettings(items: number): object {
  const text = { type: 'text', use_markdown: false };
  return {
    guidelines: null,
    fields: ['question', 'items', 'messages'].map((name) => ({
      name,
      title: name,
      required: true,
      description: null,
      settings: text,
    })),
    questions: [
      ...Array.from({ length: items }, (_, at) =>
        // Records with fewer items leave the others out.
        question(nameLabel(at), `Item ${at + 1}`, at === 0, {
          type: 'label_selection',
          options: MATCH_LABELS.map((label) => ({ value: label, text: LABEL_TEXTS[label] })),
          visible_options: null,
        }),
      ),
      ...Object.entries(RATINGS).map(([name, title]) =>
        question(name, `${title} ${RATING_SCALE}`, true, {
          type: 'rating',
          options: Array.from({ length: RATING_MAX }, (_, at) => ({ value: at + 1 })),
        }),
      ),
      question('rejection', 'To leave out the instances that depend on this task, say why', false, text),
      question(
        'revisions',
        'To edit messages, write the number of each in brackets and its new text, such as: [2] Shorter, please.',
        false,
        text,
      ),
    ],
    vectors: [],
    metadata: ['review', 'rater'].map((name) => ({
      name,
      title: name,
      visible_for_annotators: true,
      settings: { type: 'terms', values: null, visible_for_annotators: true },
    })),
    allow_extra_metadata: true,
    distribution: { strategy: 'overlap', min_submitted: 1 },
    mapping: null,
  };
}

function question(name: string, title: string, required: boolean, settings: object): object {
  return { name, title, description: null, required, settings };
}

function renderRecord(
  { task, own, others }: ForeignTasks['tasks'][number],
  metadata: { readonly review: string; readonly rater: string },
): object {
  const { title, hint } = describeTask(task);
  return {
    id: task.task,
    fields: {
      question: [title, hint, ...describeOthers(task, others)].join('\n'),
      items: task.checklist.map((_, at) => describeItem(task, at, others)).join('\n\n'),
      messages: task.messages.map(({ text }, at) => `[${at + 1}] ${text}`).join('\n\n'),
    },
    metadata,
    suggestions: own === undefined ? {} : renderSuggestions(task, own),
    responses: {},
    vectors: {},
    status: 'pending',
  };
}

/** The rater's earlier annotation, as suggestions: Argilla accepts responses only with the ids of its own users. */
function renderSuggestions(task: ReviewTask, own: Annotation): object {
  const revisions = own.revisions.flatMap(({ opening, at, after }) => {
    const index = task.messages.findIndex((one) => one.opening === opening && one.at === at);
    return index < 0 ? [] : [`[${index + 1}] ${after}`];
  });
  const values = {
    ...Object.fromEntries(own.labels.map(([label], at) => [nameLabel(at), label])),
    realism: own.realism,
    implicitness: own.implicitness,
    ...(own.rejection !== null && { rejection: own.rejection }),
    ...(revisions.length > 0 && { revisions: revisions.join('\n') }),
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, score: null, agent: own.rater }]),
  );
}

function nameLabel(item: number): string {
  return `item_${item + 1}`;
}

/**
 * The annotations in the records of a data set that Argilla wrote (`Dataset.to_disk`, `records.to_json`).
 * @param findTask the task that the file names; it throws where that is not of this review
 * @throws DataError that names record and field
 */
export function readArgilla(
  rows: readonly unknown[],
  file: string,
  findTask: (origin: ForeignOrigin, place: string) => ReviewTask,
): ForeignAnnotations {
  const annotations: ForeignAnnotation[] = [];
  let unsubmitted = 0;
  for (const [index, row] of rows.entries()) {
    const record = parseRow(recordSchema, row, `${file}, record ${index + 1}`, EXPORT_AGAIN);
    const place = `${file}, record ${record.id}`;
    const { rater } = record.metadata;
    const task = findTask({ ...record.metadata, task: record.id }, place);
    // A draft has responses too; only a record with a submitted one is completed.
    if (record.status !== 'completed') {
      unsubmitted += 1;
      continue;
    }
    const values = new Map(
      Object.entries(record.responses).flatMap(([name, responses]) => {
        if (responses.length > 1) {
          throw new DataError(
            `${place}, ${name}: ${responses.length} people responded, but it is a record of ${rater} alone. Remove the responses of others in Argilla, and export it again.`,
          );
        }
        return responses.map(({ value }) => [name, value] as const);
      }),
    );
    annotations.push({
      place,
      task,
      annotation: readForeignValues(place, task, rater, {
        values,
        nameLabel,
        labelPattern: /^item_\d+$/,
        revisions: readRevisions(values.get('revisions'), task, place),
      }),
    });
  }
  return { source: 'argilla', annotations, unsubmitted };
}

const EXPORT_AGAIN =
  'Write it with Dataset.to_disk, after importing the folder that cupid review --export wrote.';

const recordSchema = z.object({
  id: z.string(),
  metadata: foreignOriginSchema.omit({ task: true }),
  status: z.enum(['pending', 'completed']),
  responses: z.record(z.string(), z.array(z.object({ value: z.unknown() }))),
});

/** Each revised message begins with its number in brackets, at the beginning of a line. */
function readRevisions(text: unknown, task: ReviewTask, place: string): Revision[] {
  if (typeof text !== 'string' || text.trim() === '') return [];
  const [before = '', ...parts] = text.split(/^[^\S\n]*\[(\d+)\]/m);
  if (before.trim() !== '' || parts.length === 0) {
    throw new DataError(
      `${place}, revisions: expected the number of a message in brackets at the beginning, such as "[2] Shorter, please.", found ${JSON.stringify(text.slice(0, 40))}. ${ANNOTATE_AGAIN}`,
    );
  }
  // What the expression captures stands between what it splits.
  return parts.flatMap((part, at) => {
    if (at % 2 === 1) return [];
    const message = task.messages[Number(part) - 1];
    if (message === undefined) {
      throw new DataError(
        `${place}, revisions: there is no message [${part}]: this task has ${task.messages.length}. ${ANNOTATE_AGAIN}`,
      );
    }
    return reviseMessage(message, (parts[at + 1] ?? '').trim(), `${place}, revisions`);
  });
}
