import { DataType, type Field } from 'apache-arrow';
import { stringify } from 'yaml';
import { modelName } from '../schemas/model-spec';
import { MODEL_ROLES, type ModelRole } from '../schemas/step';
import type { SynthesisSettings } from '../schemas/settings';
import { INSTANCE_COLUMNS, RECORD_COLUMNS } from './columns';
import type { Seeds } from './seeds';

/** What a data set's card tells. */
export interface CardFacts {
  readonly dataSet: 'CUPID-Unverified' | 'CUPID-Raw';
  /** Rows and size of `test.parquet`. */
  readonly rows: number;
  readonly bytes: number;
  /** True when any model of the run was simulated. */
  readonly simulated: boolean;
  readonly settings: SynthesisSettings;
  /** Models that were asked besides the settings' ones, as `provider:model`: for what had failed and was done over. */
  readonly otherModels: readonly string[];
  /** The models as the responses named them, sorted, without repeats. */
  readonly answeredBy: readonly string[];
  readonly seeds: { readonly origin: Seeds['origin']; readonly count: number };
  readonly prompts: { readonly source: string; readonly hash: string };
  readonly codeVersion: string;
  /** The message put before the simulated user's history, for a provider that refuses to begin with the assistant. */
  readonly opening?: string;
  readonly statistics: CardStatistics;
  /** An identifier of the Hub; without it, cc-by-nc-sa-4.0 for PersonaHub's seeds and cc-by-4.0 for others. */
  readonly license?: string;
}

/** Counts over the personas of the data set; undefined where there is nothing to count. */
export interface CardStatistics {
  readonly personas: number;
  readonly instances: number;
  /** Per decomposed preference. */
  readonly meanChecklistItems: number | undefined;
  /** Per dialogue, the opening request included. */
  readonly meanUserTurns: number | undefined;
  /** Per dialogue, of both sides. */
  readonly meanMessages: number | undefined;
  /** Dialogues that used up their turns without satisfying the user. */
  readonly unsatisfiedDialogues: number;
  readonly dialogues: number;
}

/** The README.md of a data set's folder: front matter that the Hub and `datasets` read, then prose for people. */
export function renderCard(facts: CardFacts): string {
  return (
    [
      `---\n${frontMatter(facts)}---`,
      `# ${facts.dataSet}`,
      whatItIs(facts),
      CONTENT[facts.dataSet].summary,
      `## How it was made\n\n${making(facts)}`,
      `## Columns\n\n${columnsTable(facts)}`,
      `## Statistics\n\n${statistics(facts)}`,
      `## Limits\n\n${limits(facts)}`,
      `## Licence\n\n${licensing(facts)}`,
      `## Citation\n\n${CITATION}`,
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  );
}

const CONTENT = {
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
      current_request: "the user's request, which does not tell the preference",
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

const PERSONA_HUB_LICENSE = 'cc-by-nc-sa-4.0';

function frontMatter(facts: CardFacts): string {
  return stringify(
    {
      license: licenseOf(facts),
      language: ['en'],
      size_categories: [sizeCategory(facts.rows)],
      task_categories: ['text-generation'],
      tags: [
        'synthetic',
        ...(facts.simulated ? ['simulated'] : []),
        'personalization',
        'preferences',
        'cupid',
      ],
      pretty_name: facts.dataSet,
      configs: [{ config_name: 'default', data_files: [{ split: 'test', path: 'test.parquet' }] }],
      dataset_info: {
        features: CONTENT[facts.dataSet].columns.fields.map(feature),
        // `datasets` keeps what it loaded by the card, so the card must change whenever the rows do. The bytes are the
        // file's: those in memory only the library that loads it can tell, and it does not hold anyone to them.
        splits: [{ name: 'test', num_bytes: facts.bytes, num_examples: facts.rows }],
      },
    },
    { lineWidth: 0 },
  );
}

function licenseOf(facts: CardFacts): string {
  return facts.license ?? (facts.seeds.origin === 'personahub' ? PERSONA_HUB_LICENSE : 'cc-by-4.0');
}

/** The Hub's names for sizes. */
function sizeCategory(rows: number): string {
  if (rows < 1e3) return 'n<1K';
  if (rows < 1e4) return '1K<n<10K';
  if (rows < 1e5) return '10K<n<100K';
  return rows < 1e6 ? '100K<n<1M' : '1M<n<10M';
}

/** A column in the card's form; `list`, because `sequence` over structs fails in `datasets` before 4. */
function feature(field: Field): object {
  return { name: field.name, ...kind(field.type) };
}

function kind(type: DataType): object {
  if (DataType.isStruct(type)) return { struct: type.children.map(feature) };
  if (!DataType.isList(type)) return { dtype: typeName(type) };
  const element: DataType = type.valueType;
  if (DataType.isStruct(element)) return { list: element.children.map(feature) };
  return { list: typeName(element) };
}

function typeName(type: DataType): string {
  if (DataType.isList(type)) return `list of ${typeName(type.valueType)}`;
  if (DataType.isStruct(type)) return `{ ${type.children.map((child: Field) => child.name).join(', ')} }`;
  if (DataType.isBool(type)) return 'bool';
  return DataType.isInt(type) ? 'int64' : 'string';
}

function whatItIs(facts: CardFacts): string {
  if (facts.simulated) {
    return (
      '**Simulated data: at least one of the models was a simulation that answers by rule, without any language model. ' +
      'It is for trying out the pipeline and says nothing about people or models; do not train or evaluate on it.**'
    );
  }
  return (
    'Synthetic data, written by language models and not checked by people, made with the method of ' +
    '[CUPID](https://arxiv.org/abs/2508.01674) (COLM 2025), a benchmark of preferences that depend on context.'
  );
}

function making(facts: CardFacts): string {
  const { settings } = facts;
  const models = MODEL_ROLES.map((role) => [ROLE_NAMES[role], code(modelName(settings.models[role]))]);
  const steps = Object.entries(settings.steps).map(([step, asking]) => [
    step,
    String(asking.temperature),
    String(asking.maxTokens),
    String(asking.asks),
    String(asking.samples),
  ]);
  return [
    'A pipeline drew persona templates around seed sentences and had a model describe the personas, then the context ' +
      'factors of their worlds, then a journey of sessions with requests and preferences, and decompose each preference into ' +
      'questions. Each session but the last was played by two models, one as the user and one as the assistant.',
    table(['Part', 'Model'], models),
    bullets([
      ...(facts.otherModels.length === 0
        ? []
        : [
            `Of some personas, what failed was done over with ${facts.otherModels.map(code).join(', ')}; the provenance table tells of which.`,
          ]),
      `The models as their answers named them: ${facts.answeredBy.map(code).join(', ') || 'unknown'}.`,
      `Seed of every random choice: ${settings.seed}.`,
      `Personas asked for: ${settings.nPersonas}; context factors each: ${settings.nFactors}; sessions each: ${settings.nSessions}; at most ${settings.maxTurns} user messages a dialogue.`,
      settings.requireSatisfied
        ? 'Personas with a dialogue that never satisfied its user were left out.'
        : 'Personas with a dialogue that never satisfied its user were kept; `unsatisfied_sessions` in the run’s provenance table names those dialogues.',
      `Seed sentences: ${SEED_NAMES[facts.seeds.origin]} (${facts.seeds.count}).`,
      `Prompts: ${facts.prompts.source === 'built-in' ? 'the built-in pack' : 'a pack of the maker'}, SHA-256 ${code(facts.prompts.hash)}.`,
      ...(facts.opening === undefined
        ? []
        : [
            `The provider of the model that plays the user refuses conversations that begin with the assistant, so “${facts.opening}” was put before them; it is in no dialogue.`,
          ]),
      `Version of the code: ${code(facts.codeVersion)}.`,
    ]),
    table(['Step', 'Temperature', 'Most tokens', 'Asks', 'Samples'], steps),
  ].join('\n\n');
}

const ROLE_NAMES: Readonly<Record<ModelRole, string>> = {
  synthesis: 'writes personas, factors, sessions and checklists',
  user: 'plays the user',
  assistant: 'plays the assistant',
};

const SEED_NAMES: Readonly<Record<Seeds['origin'], string>> = {
  'built-in': 'those that come with the program',
  personahub: '[PersonaHub](https://huggingface.co/datasets/proj-persona/PersonaHub)',
  file: 'a file of the maker',
};

function columnsTable(facts: CardFacts): string {
  const { columns, meaning } = CONTENT[facts.dataSet];
  const meanings = new Map<string, string>(Object.entries(meaning));
  return table(
    ['Column', 'Type', 'Meaning'],
    columns.fields.map((field) => [code(field.name), typeName(field.type), meanings.get(field.name) ?? '']),
  );
}

function statistics(facts: CardFacts): string {
  const { statistics: counts } = facts;
  return table(
    ['', ''],
    [
      ['Personas', String(counts.personas)],
      ['Instances', String(counts.instances)],
      ['Rows of this data set', String(facts.rows)],
      ['Size of `test.parquet`', `${facts.bytes} bytes`],
      ['Checklist items per preference, mean', mean(counts.meanChecklistItems)],
      ['User turns per dialogue, mean', mean(counts.meanUserTurns)],
      ['Messages per dialogue, mean', mean(counts.meanMessages)],
      [
        'Dialogues that ended with a dissatisfied user',
        `${counts.unsatisfiedDialogues} of ${counts.dialogues}`,
      ],
    ],
  );
}

function mean(value: number | undefined): string {
  return value === undefined ? 'unknown' : value.toFixed(2);
}

function limits(facts: CardFacts): string {
  return bullets([
    ...(facts.simulated ? ['Simulated: the texts are made by rule and repeat themselves.'] : []),
    'Nobody has verified the rows: a preference may be hard to infer from the dialogues, or may show in the request. The published CUPID benchmark went through human validation; this data did not.',
    'The users are simulated. How they speak, what they prefer and when they are satisfied are what the models make of it, with the models’ biases.',
    'English only, and the occupations and situations are those that the seed sentences and the models bring.',
    'The personas are fictitious; a likeness to living people is accidental.',
  ]);
}

function licensing(facts: CardFacts): string {
  const reason = {
    personahub: `PersonaHub's sentences, from which the personas were made, are under ${PERSONA_HUB_LICENSE}.`,
    'built-in': 'The seed sentences are part of the program and bring no further condition.',
    file: 'The seed sentences are from a file of the maker; whoever publishes this data must know under which terms they stand.',
  }[facts.seeds.origin];
  return `${licenseOf(facts)}. ${reason} The terms that the models’ providers set for the use of their output apply as well.`;
}

const CITATION = `The method and the published benchmark are CUPID's (COLM 2025, [arXiv:2508.01674](https://arxiv.org/abs/2508.01674)):

\`\`\`bibtex
@inproceedings{kim2025cupid,
  title     = {{CUPID}: Evaluating Personalized and Contextualized Alignment of {LLMs} from Interactions},
  author    = {Kim, Tae Soo and Lee, Yoonjoo and Park, Yoonah and Kim, Jiho and Kim, Young-Ho and Kim, Juho},
  booktitle = {Conference on Language Modeling ({COLM})},
  year      = {2025},
  url       = {https://arxiv.org/abs/2508.01674}
}
\`\`\``;

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Names that others chose, so that they cannot break out of a table's cell. */
function code(text: string): string {
  return `\`${text.replaceAll(/[`|\s]+/g, ' ').trim()}\``;
}
