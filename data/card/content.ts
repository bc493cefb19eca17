import { DataType, type Field } from 'apache-arrow';
import { INSTANCE_COLUMNS, RECORD_COLUMNS } from '../columns';
import { dtypeOf } from './dataset-info';
import { code, table } from './markdown';

/** The data sets that have cards: what their rows are, and what their columns mean. */
export const CONTENT = {
  'CUPID-Unverified': {
    columns: INSTANCE_COLUMNS,
    summary:
      'Each row is one test instance: what a user now asks, the context factor and the preference behind it, which a model ' +
      'is not shown, and the earlier dialogues from which the preference can be inferred. A persona has one row of each ' +
      '`instance_type`, so the key is `persona_id` together with `instance_type`.',
    meaning: {
      persona_id: 'the persona: its number and occupation',
      instance_type:
        '`consistent` (earlier dialogues show this preference), `contrastive` (others, in a similar context, show another one) or `changing` (it changed on the way)',
      current_request: "the user's request, which should not tell the preference",
      current_context_factor: 'the element of the context that brings the preference with it',
      current_contextual_preference: 'the preference that the answer should meet',
      current_checklist: 'the same preference as questions',
      prior_interactions: 'earlier dialogues in order, each with its context factor and preference',
    },
  },
  'CUPID-Raw': {
    columns: RECORD_COLUMNS,
    summary:
      'Each row is everything that was synthesized for one persona: the persona, the context factors of its world, the ' +
      'planned sessions and the dialogues simulated from them. The last session has no dialogue: its request is the ' +
      'one that instances ask about.',
    meaning: {
      persona_id: 'the persona: its number and occupation',
      persona: 'the drawn template and the description written from it',
      context_factors: 'elements of the context, each with the preference that it brings with it',
      sessions:
        'the journey: sessions in order, each with its request, its preference and the preference as questions',
      interactions: 'the dialogues, by `session_id`, and whether the user was satisfied in the end',
    },
  },
} as const;

export type DataSetName = keyof typeof CONTENT;

/** The columns of a data set, their types and meanings. */
export function columnsTable(dataSet: DataSetName): string {
  const { columns, meaning } = CONTENT[dataSet];
  const meanings = new Map<string, string>(Object.entries(meaning));
  return table(
    ['Column', 'Type', 'Meaning'],
    columns.fields.map((field) => [code(field.name), typeName(field.type), meanings.get(field.name) ?? '']),
  );
}

function typeName(type: DataType): string {
  if (DataType.isList(type)) return `list of ${typeName(type.valueType)}`;
  if (DataType.isStruct(type)) return `{ ${type.children.map((child: Field) => child.name).join(', ')} }`;
  return dtypeOf(type);
}
