import { Field, Int64, List, Schema, Struct, Utf8, type DataType } from 'apache-arrow';
import { INSTANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import type { ValidationRule } from '../../../schemas/dataset/validation';
import { buildSoundInstances, buildSoundRecords } from './sound-data';

/** A row with any content. */
export type Loose = Record<string, unknown>;

/** One defect of a data set, with the only finding that validation must make. */
export interface Mutation {
  readonly what: string;
  readonly rule: ValidationRule;
  /** From 1; absent for a finding about the file. */
  readonly row?: number;
  readonly field?: string;
  readonly rows: readonly Loose[];
  /** Columns for Parquet, if they differ. */
  readonly columns?: Schema;
  /** The form, if only one can hold the defect. */
  readonly form?: 'parquet' | 'json-lines';
}

/** Mutations of three personas: rows 1 to 9, for each a consistent, a contrastive and a changing one. */
export const INSTANCE_MUTATIONS: readonly Mutation[] = [
  ...columnMutations(INSTANCE_COLUMNS, loose(buildSoundInstances(3)), {
    dropped: 'current_checklist',
    nested: ['prior_interactions', 'prior_interactions[].dialogue[].role'],
  }),
  ...changeEach(buildSoundInstances(3), [
    // Form
    [2, 'instance_type', 'constant', 'field-form', 'a type that there is not'],
    [5, 'current_request', null, 'field-form', 'a request that is null'],
    [5, 'current_checklist', [], 'field-form', 'an empty checklist'],
    [4, 'prior_interactions[2].dialogue', [], 'field-form', 'an empty dialogue'],
    [4, 'prior_interactions[2].dialogue[1].role', 'system', 'field-form', 'a role that there is not'],
    [7, 'current_contextual_preference', ' \n', 'empty-text', 'a preference of blanks'],
    [7, 'prior_interactions[0].context_factor', '', 'empty-text', 'an empty factor'],
    [7, 'prior_interactions[0].dialogue[0].content', '', 'empty-text', 'a user who says nothing'],
    [7, 'prior_interactions[0].dialogue[1].content', ' ', 'empty-text', 'an assistant that says nothing'],
    [3, 'prior_interactions[1].dialogue[0].role', 'assistant', 'roles-alternate', 'the assistant begins'],
    [3, 'prior_interactions[1].dialogue[2].role', 'assistant', 'roles-alternate', 'one side speaks twice'],
  ]),
  ...changeEach(
    buildSoundInstances(3),
    [[6, 'current_checklist[0]', 'cut \ud83d', 'malformed-unicode', 'half a surrogate pair']],
    'json-lines',
  ),
  {
    what: 'a key that stands twice',
    rule: 'unique-key',
    row: 3,
    field: 'persona_id and instance_type',
    rows: loose(buildSoundInstances(3).flatMap((row, index) => (index === 1 ? [row, row] : [row]))),
  },
];

const TRAITS = 'persona.personality_traits';
const VALUES = 'persona.personal_values';

/** Mutations of three personas, one row each. */
export const RECORD_MUTATIONS: readonly Mutation[] = [
  ...columnMutations(RECORD_COLUMNS, loose(buildSoundRecords(3)), {
    dropped: 'context_factors',
    nested: ['interactions', 'interactions[].is_satisfied'],
  }),
  ...changeEach(buildSoundRecords(3), [
    [2, 'persona.id', null, 'field-form', 'a number that is null'],
    [2, 'sessions[3].checklist', [], 'field-form', 'an empty checklist'],
    [2, 'interactions', [], 'field-form', 'no interactions'],
    [2, 'interactions[1].is_satisfied', null, 'field-form', 'nothing about the end'],
    [1, 'persona.description', '', 'empty-text', 'an empty description'],
    [1, 'sessions[1].resource', ' ', 'empty-text', 'an empty resource'],
    [1, 'interactions[4].chat[1].content', null, 'empty-text', 'an assistant without an answer'],
    [3, 'interactions[4].chat[1].role', 'user', 'roles-alternate', 'one side speaks twice'],
    [3, 'interactions[4].chat[1].role', 'bot', 'field-form', 'a role that there is not'],
    // Words and structure
    [2, 'context_factors[0].factor_type', 'Weather', 'field-form', 'a factor type that there is not'],
    [2, `${TRAITS}[1]`, 'Kind', 'field-form', 'a trait that there is not', TRAITS],
    [2, TRAITS, ['Low Neuroticism'], 'field-form', 'one trait'],
    [2, `${TRAITS}[0]`, 'High Neuroticism', 'field-form', 'a trait that contradicts', TRAITS],
    [2, `${VALUES}[1]`, 'Power', 'field-form', 'a value drawn twice', VALUES],
    [3, 'interactions[2].is_satisfied', false, 'satisfied-ending', 'an end that does not fit'],
  ]),
  ...changeEach(
    buildSoundRecords(3),
    [
      [2, 'persona.description', 'cut \ud83d', 'malformed-unicode', 'half a surrogate pair'],
      [2, 'persona.id', '2', 'field-form', 'a number as text'],
    ],
    'json-lines',
  ),
  {
    what: 'a persona that stands twice',
    rule: 'unique-key',
    row: 3,
    field: 'persona_id',
    rows: loose(buildSoundRecords(3).flatMap((record, index) => (index === 1 ? [record, record] : [record]))),
  },
];

function columnMutations(
  columns: Schema,
  rows: readonly Loose[],
  { dropped, nested: [outer, inner] }: { dropped: string; nested: readonly [string, string] },
): Mutation[] {
  const without = (name: string) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => column !== name)));
  return [
    {
      what: 'a column that is missing',
      rule: 'missing-column',
      field: dropped,
      rows: without(dropped),
      columns: new Schema(columns.fields.filter(({ name }) => name !== dropped)),
      form: 'parquet',
    },
    {
      what: 'a field that is missing',
      rule: 'missing-column',
      field: inner,
      rows,
      columns: new Schema(columns.fields.map((field) => withoutInner(field, inner))),
      form: 'parquet',
    },
    {
      what: 'a column that is there twice',
      rule: 'repeated-column',
      field: 'persona_id',
      rows,
      columns: new Schema([...columns.fields, Field.new('persona_id', new Utf8(), true)]),
      form: 'parquet',
    },
    {
      what: 'a column of another type',
      rule: 'column-type',
      field: 'persona_id',
      rows: rows.map((row, index) => ({ ...row, persona_id: index })),
      columns: new Schema(
        columns.fields.map((field) =>
          field.name === 'persona_id' ? Field.new('persona_id', new Int64(), true) : field,
        ),
      ),
      form: 'parquet',
    },
    {
      what: 'a field of another type',
      rule: 'column-type',
      field: `${outer}[]`,
      rows: rows.map((row) => ({ ...row, [outer]: ['text'] })),
      columns: new Schema(
        columns.fields.map((field) => (field.name === outer ? Field.new(outer, listOfTexts(), true) : field)),
      ),
      form: 'parquet',
    },
    {
      what: 'a column of others',
      rule: 'unknown-column',
      field: 'note',
      rows: rows.map((row) => ({ ...row, note: 'n' })),
      columns: new Schema([...columns.fields, Field.new('note', new Utf8(), true)]),
    },
    {
      what: 'columns in another order',
      rule: 'column-order',
      rows: rows.map((row) => Object.fromEntries(Object.entries(row).toReversed())),
      columns: new Schema(columns.fields.toReversed()),
    },
    { what: 'no rows', rule: 'no-rows', rows: [] },
  ];
}

function listOfTexts(): List<Utf8> {
  return new List(new Field('element', new Utf8(), true));
}

/** Returns the field without the inner field of this path. */
function withoutInner(field: Field, path: string): Field {
  return new Field(field.name, typeWithout(field.type, field.name, path), true);
}

function typeWithout(type: DataType, place: string, path: string): DataType {
  if (type instanceof List) {
    const element: DataType = type.valueType;
    return new List(new Field('element', typeWithout(element, `${place}[]`, path), true));
  }
  if (!(type instanceof Struct)) return type;
  const fields: Field[] = type.children;
  return new Struct(
    fields.flatMap((field) => {
      const name = `${place}.${field.name}`;
      return name === path ? [] : [new Field(field.name, typeWithout(field.type, name, path), true)];
    }),
  );
}

/** A row from 1, a path in it, the other value, and the finding; its field is the path unless named. */
type Change = readonly [number, string, unknown, ValidationRule, string, string?];

/** Lists a mutation for each change of the rows. */
function changeEach(
  rows: readonly object[],
  changes: readonly Change[],
  form?: Mutation['form'],
): Mutation[] {
  return changes.map(([row, path, value, rule, what, field = path]) => {
    const changed = structuredClone(loose(rows));
    setAt(changed, `${row - 1}.${path}`, value);
    return { what, rule, row, field, rows: changed, ...(form !== undefined && { form }) };
  });
}

function setAt(object: object, path: string, value: unknown): void {
  const parts = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  const last = parts.pop() ?? '';
  const holder = parts.reduce<unknown>(
    (one, part) => (typeof one === 'object' && one !== null ? Reflect.get(one, part) : undefined),
    object,
  );
  if (typeof holder !== 'object' || holder === null || Reflect.get(holder, last) === undefined) {
    throw new Error(`There is no ${path} to be changed.`);
  }
  Reflect.set(holder, last, value);
}

export function loose(rows: readonly object[]): Loose[] {
  return rows.map((row) => ({ ...row }));
}
