import { toUSVString } from 'node:util';
import * as z from 'zod';
import { formatFieldName, getValue } from '../../schemas/text/field-path';
import { describeIssue } from '../../schemas/text/issues';
import type { MessageForm } from '../../schemas/dataset/message';
import type { ValidationRule } from '../../schemas/dataset/validation';
import { formatValue } from '../../schemas/text/value-text';

export interface RowProblem {
  readonly rule: ValidationRule;
  /** `prior_interactions[2].dialogue[3].role`; absent for a problem of the whole row. */
  readonly field?: string;
  /** Expected and found values. */
  readonly message: string;
}

/** A problem that evaluation tolerates, although a data set should not have it. */
export interface RowWarning extends RowProblem {
  /** True for problems that the reference program's own data have, so they are no errors in foreign data. */
  readonly known: boolean;
  /** True for a type that is not one of the paper's, as in data with a taxonomy of their own. */
  readonly isOwnType?: boolean;
}

/** A row in the required form, or its problems. */
export type CheckedRow<Row> =
  | { readonly row: Row; readonly lapses: readonly RowWarning[] }
  | { readonly problems: readonly RowProblem[] };

export function checkRow<Row>(
  schema: z.ZodType<Row>,
  value: unknown,
  lapses: (row: Row) => readonly RowWarning[],
): CheckedRow<Row> {
  const checked = schema.safeParse(value);
  if (checked.success) return { row: checked.data, lapses: lapses(checked.data) };
  return { problems: checked.error.issues.map((issue) => buildProblem(issue, value)) };
}

function buildProblem(issue: z.core.$ZodIssue, row: unknown): RowProblem {
  const { path } = issue;
  return {
    rule: issue.code === 'custom' ? (issue.params?.['rule'] ?? 'field-form') : findRule(path, row),
    ...(path.length > 0 && { field: formatFieldName(path) }),
    message: `${describeIssue(issue, row)}.`,
  };
}

/** Returns the rule that a value of the wrong kind violates. */
function findRule(path: readonly PropertyKey[], row: unknown): ValidationRule {
  const value = getValue(row, path);
  if (value instanceof Uint8Array) return 'malformed-unicode';
  // Only JSON lines can lack a field; a row from columns has all of them.
  return value === undefined && path.length === 1 ? 'missing-column' : 'field-form';
}

export const anyTextSchema = z.string().refine((content) => toUSVString(content) === content, {
  error:
    'half of a surrogate pair, which is not a character: the text was cut inside a character or decoded wrongly',
  params: buildRule('malformed-unicode'),
  abort: true,
});

export const textSchema = anyTextSchema.refine((content) => !isBlank(content), {
  error: 'expected a text, found an empty one',
  params: buildRule('empty-text'),
});

export const textsSchema = z.array(textSchema).min(1);

/** Builds the schema of messages with alternating roles, beginning with the user. */
export function buildDialogueSchema<Content>(content: z.ZodType<Content>) {
  return z
    .array(z.object({ role: z.enum(['user', 'assistant']), content }))
    .superRefine((messages, context) => {
      const index = messages.findIndex(({ role }, at) => role !== (at % 2 === 0 ? 'user' : 'assistant'));
      if (index < 0) return;
      const expected = index % 2 === 0 ? '"user"' : '"assistant"';
      context.addIssue({
        code: 'custom',
        path: [index, 'role'],
        params: buildRule('roles-alternate'),
        message:
          `expected ${expected}, since the user begins and the roles alternate, found ${formatValue(messages[index]?.role)}. ` +
          'Merge consecutive messages of the same role.',
      });
    });
}

/** Lists a warning for each empty message. The reference program keeps empty messages of the assistant. */
export function listEmptyMessages(dialogue: readonly MessageForm[], field: string): RowWarning[] {
  return dialogue.flatMap(({ role, content }, index) =>
    content !== null && !isBlank(content)
      ? []
      : [
          {
            rule: 'empty-text',
            field: `${field}[${index}].content`,
            message: `expected what the ${role} said, found ${content === null ? 'nothing' : 'an empty text'}.`,
            known: role === 'assistant',
          },
        ],
  );
}

function buildRule(name: ValidationRule): { rule: ValidationRule } {
  return { rule: name };
}

function isBlank(content: string): boolean {
  return !ANY_CHARACTER.test(content);
}

const ANY_CHARACTER = /\S/;
