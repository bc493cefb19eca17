import { Field, Int64, List, Schema, Struct, Utf8, type DataType } from 'apache-arrow';
import { INSTANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import type { Instance } from '../../../schemas/dataset/instance';
import type { InstanceType } from '../../../schemas/dataset/instance-type';
import type { PersonaRecord } from '../../../schemas/dataset/record';
import type { ValidationRule } from '../../../schemas/dataset/validation';
import { buildSoundInstances, buildSoundRecords } from './sound-data';

/** A row with anything in it. */
export type Loose = Record<string, unknown>;

/** One thing that is wrong with a data set, and what validation must find, which is nothing else. */
export interface Mutation {
  readonly what: string;
  readonly rule: ValidationRule;
  /** From 1; absent where it is about the file. */
  readonly row?: number;
  readonly field?: string;
  readonly rows: readonly Loose[];
  /** For Parquet, where its columns are others than they should be. */
  readonly columns?: Schema;
  /** Where only one of the forms can hold it. */
  readonly form?: 'parquet' | 'json-lines';
}

/** Three personas: rows 1 to 9, of each a consistent, a contrastive and a changing one. */
export const INSTANCE_MUTATIONS: readonly Mutation[] = [
  ...columnMutations(INSTANCE_COLUMNS, loose(buildSoundInstances(3)), {
    dropped: 'current_checklist',
    nested: ['prior_interactions', 'prior_interactions[].dialogue[].role'],
  }),
  ...[
    // Form
    put(2, 'instance_type', 'constant', 'field-form', 'a type that there is not'),
    put(5, 'current_request', null, 'field-form', 'a request that is null'),
    put(5, 'current_checklist', [], 'field-form', 'an empty checklist'),
    put(4, 'prior_interactions[2].dialogue', [], 'field-form', 'an empty dialogue'),
    put(4, 'prior_interactions[2].dialogue[1].role', 'system', 'field-form', 'a role that there is not'),
    put(7, 'current_contextual_preference', ' \n', 'empty-text', 'a preference of blanks'),
    put(7, 'prior_interactions[0].context_factor', '', 'empty-text', 'an empty factor'),
    put(7, 'prior_interactions[0].dialogue[0].content', '', 'empty-text', 'a user who says nothing'),
    put(7, 'prior_interactions[0].dialogue[1].content', ' ', 'empty-text', 'an assistant that says nothing'),
    put(3, 'prior_interactions[1].dialogue[0].role', 'assistant', 'roles-alternate', 'the assistant begins'),
    put(3, 'prior_interactions[1].dialogue[2].role', 'assistant', 'roles-alternate', 'one side speaks twice'),
  ].map((one) => one(loose(buildSoundInstances(3)))),
  {
    ...put(
      6,
      'current_checklist[0]',
      'cut \ud83d',
      'malformed-unicode',
      'half a surrogate pair',
    )(loose(buildSoundInstances(3))),
    form: 'json-lines',
  },
  {
    what: 'a key that stands twice',
    rule: 'unique-key',
    row: 3,
    field: 'persona_id and instance_type',
    rows: loose(edited((rows) => [at(rows, 1), at(rows, 2), at(rows, 2), ...rows.slice(2)])),
  },
  // Structure
  structural('a session that is lacking', 'prior-count', 4, 'prior_interactions', (rows) =>
    change(rows, 4, (row) => ({
      ...row,
      prior_interactions: row.prior_interactions.filter((one) => one !== freeOf(row)),
    })),
  ),
  structural('a persona without its changing row', 'one-of-each-type', 4, 'instance_type', (rows) =>
    rows.filter((_, index) => index !== 5),
  ),
  structural('another request in one row', 'same-request', 5, 'current_request', (rows) =>
    change(rows, 5, (row) => ({ ...row, current_request: 'Something else altogether.' })),
  ),
  structural('another factor in one row', 'same-request', 6, 'current_context_factor', (rows) =>
    change(rows, 6, (row) => ({ ...row, current_context_factor: 'Elsewhere' })),
  ),
  structural(
    'the changed preference in a consistent row',
    'original-preference',
    4,
    'current_contextual_preference',
    (rows) =>
      change(rows, 4, (row) => ({
        ...row,
        current_contextual_preference: at(rows, 6).current_contextual_preference,
      })),
  ),
  structural(
    'the original preference in a changing row',
    'changed-preference',
    9,
    'current_contextual_preference',
    (rows) =>
      change(rows, 9, (row) => ({
        ...row,
        current_contextual_preference: at(rows, 7).current_contextual_preference,
      })),
  ),
  structural(
    'the checklist of the changed preference',
    'original-preference',
    8,
    'current_checklist',
    (rows) => change(rows, 8, (row) => ({ ...row, current_checklist: at(rows, 9).current_checklist })),
  ),
  structural(
    'a session of the current factor with another preference',
    'current-factor-sessions',
    1,
    undefined,
    (rows) => change(rows, 1, (row) => relabelled(row, row.current_context_factor, 'Whatever else.')),
  ),
  structural('no contrastive sessions', 'contrastive-present', 5, 'prior_interactions', (rows) =>
    change(rows, 5, (row) => ({ ...row, prior_interactions: at(rows, 4).prior_interactions })),
  ),
  structural('a contrastive session in a consistent row', 'contrastive-absent', 4, undefined, (rows) =>
    change(rows, 4, (row) => {
      const partner = partnerSession(rows, 4);
      const leftOut = leftOutOf(row, at(rows, 5));
      return {
        ...row,
        prior_interactions: row.prior_interactions.map((one) => (one === leftOut ? partner : one)),
      };
    }),
  ),
  structural('a session that stands twice', 'repeated-session', 4, undefined, (rows) =>
    change(rows, 4, (row) => {
      const leftOut = leftOutOf(row, at(rows, 5));
      return {
        ...row,
        prior_interactions: row.prior_interactions.map((one) => (one === leftOut ? freeOf(row) : one)),
      };
    }),
  ),
  structural('a dialogue that was changed in one row', 'shared-sessions', 6, undefined, (rows) =>
    change(rows, 6, (row) => ({
      ...row,
      prior_interactions: row.prior_interactions.map((one) =>
        one === freeOf(row)
          ? {
              ...one,
              dialogue: one.dialogue.map((message, index) => ({ ...message, content: `Changed ${index}.` })),
            }
          : one,
      ),
    })),
  ),
];

const TRAITS = 'persona.personality_traits';
const PARTNER = 'context_factors[7].related_factor';
const DIALOGUE = 'interactions[2].session_id';

/** Three personas, a row each. */
export const RECORD_MUTATIONS: readonly Mutation[] = [
  ...columnMutations(RECORD_COLUMNS, loose(buildSoundRecords(3)), {
    dropped: 'context_factors',
    nested: ['interactions', 'interactions[].is_satisfied'],
  }),
  ...[
    put(2, 'persona.id', null, 'field-form', 'a number that is null'),
    put(2, 'sessions[3].checklist', [], 'field-form', 'an empty checklist'),
    put(2, 'interactions', [], 'field-form', 'no interactions'),
    put(2, 'interactions[1].is_satisfied', null, 'field-form', 'nothing about the end'),
    put(1, 'persona.description', '', 'empty-text', 'an empty description'),
    put(1, 'sessions[1].resource', ' ', 'empty-text', 'an empty resource'),
    put(1, 'interactions[4].chat[1].content', null, 'empty-text', 'an assistant without an answer'),
    put(3, 'interactions[4].chat[1].role', 'user', 'roles-alternate', 'one side speaks twice'),
    put(3, 'interactions[4].chat[1].role', 'bot', 'field-form', 'a role that there is not'),
    // Structure
    put(2, 'context_factors[0].factor_type', 'Weather', 'field-form', 'a factor type that there is not'),
    put(2, 'persona.personality_traits[1]', 'Kind', 'field-form', 'a trait that there is not', TRAITS),
    put(2, 'persona.personality_traits', ['Low Neuroticism'], 'field-form', 'one trait'),
    put(
      2,
      'persona.personality_traits[0]',
      'High Neuroticism',
      'field-form',
      'a trait that contradicts',
      TRAITS,
    ),
    put(
      2,
      'persona.personal_values[1]',
      'Power',
      'field-form',
      'a value drawn twice',
      'persona.personal_values',
    ),
    put(1, 'persona.occupation', 'Pilot', 'persona-id', 'a name after another occupation', 'persona_id'),
    put(2, PARTNER, 'N/A', 'contrastive-pair', 'half a contrastive pair', 'context_factors'),
    put(3, DIALOGUE, 13, 'one-dialogue-a-session', 'a dialogue of the last session', 'interactions'),
    put(2, 'sessions[4].context_factor', 'Nowhere', 'session-factor', 'a session of no factor'),
    put(2, 'sessions[12].checklist', ['1', '2', '3', '4', '5'], 'session-checklist', 'five checklist items'),
    put(3, 'interactions[2].chat[0].content', 'Hello.', 'opening-message', 'another opening message'),
    put(3, 'interactions[2].is_satisfied', false, 'satisfied-ending', 'an end that does not fit'),
  ].map((one) => one(loose(buildSoundRecords(3)))),
  {
    ...put(
      2,
      'persona.description',
      'cut \ud83d',
      'malformed-unicode',
      'half a surrogate pair',
    )(loose(buildSoundRecords(3))),
    form: 'json-lines',
  },
  {
    ...put(2, 'persona.id', '2', 'field-form', 'a number as text')(loose(buildSoundRecords(3))),
    form: 'json-lines',
  },
  {
    what: 'a persona that stands twice',
    rule: 'unique-key',
    row: 3,
    field: 'persona_id',
    rows: loose(buildSoundRecords(3).flatMap((record, index) => (index === 1 ? [record, record] : [record]))),
  },
  {
    what: 'a journey with a session of the current factor too few',
    rule: 'journey-structure',
    row: 2,
    rows: loose(buildSoundRecords(3).map((record, index) => (index === 1 ? withoutFirst(record) : record))),
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

/** The field without what the path names in it. */
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

function put(
  row: number,
  path: string,
  value: unknown,
  rule: ValidationRule,
  what: string,
  field = path,
): (rows: readonly Loose[]) => Mutation {
  return (rows) => ({
    what,
    rule,
    row,
    field,
    rows: rows.map((one, index) => {
      if (index !== row - 1) return one;
      const changed = structuredClone(one);
      setAt(changed, path, value);
      return changed;
    }),
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

function structural(
  what: string,
  rule: ValidationRule,
  row: number,
  field: string | undefined,
  edit: (rows: readonly Instance[]) => readonly Instance[],
): Mutation {
  return { what, rule, row, ...(field !== undefined && { field }), rows: loose(edited(edit)) };
}

function edited(edit: (rows: readonly Instance[]) => readonly Instance[]): readonly Instance[] {
  return edit(buildSoundInstances(3));
}

function loose(rows: readonly object[]): Loose[] {
  return rows.map((row) => ({ ...row }));
}

function at<Row>(rows: readonly Row[], number: number): Row {
  const [row] = rows.slice(number - 1);
  if (row === undefined) throw new Error(`There is no row ${number}.`);
  return row;
}

function change(
  rows: readonly Instance[],
  number: number,
  edit: (row: Instance) => Instance,
): readonly Instance[] {
  return rows.map((row, index) => (index === number - 1 ? edit(row) : row));
}

type Prior = Instance['prior_interactions'][number];

/** The last session that is neither of the current factor nor of the contrastive one. */
function freeOf(row: Instance): Prior {
  const partner = 'Workshop 7';
  const free = row.prior_interactions.findLast(
    ({ context_factor: factor }) => ![row.current_context_factor, partner].includes(factor),
  );
  if (free === undefined) throw new Error('The row has no such session.');
  return free;
}

/** A session that only the first of the two has. */
function leftOutOf(row: Instance, other: Instance): Prior {
  const text = (one: Prior) => JSON.stringify(one);
  const others = other.prior_interactions.map(text);
  const leftOut = row.prior_interactions.find((one) => !others.includes(text(one)));
  if (leftOut === undefined) throw new Error('The other row has all of its sessions.');
  return leftOut;
}

/** A contrastive session of the persona that the row with this number is of. */
function partnerSession(rows: readonly Instance[], number: number): Prior {
  const type: InstanceType = 'contrastive';
  const row = rows.find(
    (one) => one.persona_id === at(rows, number).persona_id && one.instance_type === type,
  );
  const session = row?.prior_interactions.find(({ context_factor: factor }) => factor === 'Workshop 7');
  if (session === undefined) throw new Error('The persona has no contrastive session.');
  return session;
}

/** The row with another preference in its first session of the factor. */
function relabelled(row: Instance, factor: string, preference: string): Instance {
  const index = row.prior_interactions.findIndex((one) => one.context_factor === factor);
  return {
    ...row,
    prior_interactions: row.prior_interactions.map((one, place) =>
      place === index ? { ...one, contextual_preference: preference } : one,
    ),
  };
}

/** The record with the first session of the current factor turned into one of another. */
function withoutFirst(record: PersonaRecord): PersonaRecord {
  const last = at(record.sessions, record.sessions.length);
  const first = record.sessions.findIndex(({ context_factor: factor }) => factor === last.context_factor);
  const free = at(record.context_factors, 1);
  const item = `Does it keep to this: ${free.preference}`;
  return {
    ...record,
    sessions: record.sessions.map((session, index) =>
      index === first
        ? {
            ...session,
            context_factor: free.factor,
            task_type: at(free.task_types, 1),
            preference: free.preference,
            checklist: [item],
          }
        : session,
    ),
    interactions: record.interactions.map((interaction, index) =>
      index === first ? { ...interaction, preference: free.preference, checklist: [item] } : interaction,
    ),
  };
}
