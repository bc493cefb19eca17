import { DataType, type Field } from 'apache-arrow';
import { INSTANCE_COLUMNS, RECORD_COLUMNS } from '../tables/columns';
import { buildTextTable } from '../../schemas/text/table';
import { getDtype } from './dataset-info';
import { formatCode, renderMarkdownTable } from './markdown';

/** The data sets that have cards: what their rows are, and what their columns mean. */
export const CONTENT = {
  'CUPID-Unverified': {
    columns: INSTANCE_COLUMNS,
    summary:
      'Each row is one test instance: a new request of the user, the context factor and the preference behind it, which are ' +
      'not shown to the model, and the earlier dialogues from which the preference can be inferred. A persona has one row for ' +
      'each `instance_type`, so the key is `persona_id` together with `instance_type`.',
    meaning: {
      persona_id: 'number and occupation of the persona',
      instance_type:
        '`consistent` (earlier dialogues show this preference), `contrastive` (others, in a similar context, show a different one) or `changing` (it changed during the earlier dialogues)',
      current_request: "the user's request, which should not reveal the preference",
      current_context_factor: 'the context factor that the preference depends on',
      current_contextual_preference: 'the preference that the response should satisfy',
      current_checklist: 'the preference as a list of questions',
      prior_interactions: 'earlier dialogues in order, each with its context factor and preference',
    },
  },
  'CUPID-Raw': {
    columns: RECORD_COLUMNS,
    summary:
      'Each row contains everything that was generated for one persona: the persona, its context factors, the planned ' +
      'sessions and their dialogues. The last session has no dialogue: its request is the one that the instances use.',
    meaning: {
      persona_id: 'number and occupation of the persona',
      persona: 'the sampled template, and the description that a model wrote from it',
      context_factors: 'the context factors, each with the preference that depends on it',
      sessions:
        'the planned sessions in order, each with its request, its preference and the preference as a list of questions',
      interactions: 'the dialogues, by `session_id`, and whether the user was satisfied at the end',
    },
  },
} as const;

export type DataSetName = keyof typeof CONTENT;

/** Renders the columns of a data set with their types and meanings. */
export function renderColumns(dataSet: DataSetName): string {
  const { columns, meaning } = CONTENT[dataSet];
  const meanings = new Map<string, string>(Object.entries(meaning));
  return renderMarkdownTable(
    buildTextTable(
      ['Column', 'Type', 'Meaning'],
      columns.fields.map((field) => [
        formatCode(field.name),
        formatType(field.type),
        meanings.get(field.name) ?? '',
      ]),
    ),
  );
}

function formatType(type: DataType): string {
  if (DataType.isList(type)) return `list of ${formatType(type.valueType)}`;
  if (DataType.isStruct(type)) return `{ ${type.children.map((child: Field) => child.name).join(', ')} }`;
  return getDtype(type);
}
