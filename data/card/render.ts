import type { DataStatistics } from '../../schemas/data-statistics';
import { modelName } from '../../schemas/model-spec';
import { columnsTable, CONTENT, type DataSetName } from './content';
import { type CardFiles, configsOf, datasetInfo } from './dataset-info';
import { OURS_TAG, renderFrontMatter } from './front-matter';
import { licenseSentence, PERSONA_HUB_LICENSE, UNKNOWN_LICENSE } from './licenses';
import { type MakingFacts, makingText } from './making';
import { bullets, code } from './markdown';
import { statisticsText } from './statistics';

/** What a card tells of any data set. */
interface DataFacts {
  readonly dataSet: DataSetName;
  readonly files: CardFiles;
  readonly statistics: DataStatistics;
  /** An identifier of the Hub. */
  readonly license?: string;
}

/** What the card of a run's data set tells. Without a licence, cc-by-nc-sa-4.0 for PersonaHub's seeds and cc-by-4.0 for others. */
export interface CardFacts extends DataFacts, MakingFacts {
  /** True when any model of the run was simulated. */
  readonly simulated: boolean;
}

/** What the card of data that somebody else made tells. Without a licence, that it is unknown. */
export interface ImportedFacts extends DataFacts {
  /** True when it is known that a model was simulated. */
  readonly simulated?: boolean;
}

/** The README.md of a run's data set: front matter that the Hub and `datasets` read, then prose for people. */
export function renderCard(facts: CardFacts): string {
  const license = facts.license ?? DEFAULT_LICENSES[facts.seeds.origin];
  return card(facts, {
    license,
    tag: OURS_TAG,
    checked: 'and not checked by people',
    unverified: 'Nobody has verified the rows',
    making: makingText(facts),
    licensing: licensing(facts),
  });
}

/** The README.md of a data set that was brought into this form from elsewhere. */
export function renderImportedCard(facts: ImportedFacts): string {
  return card(facts, {
    license: facts.license ?? UNKNOWN_LICENSE,
    tag: 'imported',
    checked: '(whether people have checked it, is unknown)',
    unverified: 'Whether anybody has verified the rows is unknown',
    making:
      'Imported from files as the CUPID reference program lays them out. Which models, prompts, settings and seeds made them, and what ' +
      'that cost, the files do not tell: unknown.',
    licensing:
      `If the personas were made from [PersonaHub](${PERSONA_HUB})'s sentences, as the reference program's are, its terms ` +
      `(${PERSONA_HUB_LICENSE}) apply, and those that the providers of the models set for the use of their output do in any case.`,
  });
}

/** What of a card depends on who made the data. */
interface Told {
  readonly license: string;
  readonly tag: string;
  /** Whether people have looked at the data, as an aside and as the beginning of a sentence. */
  readonly checked: string;
  readonly unverified: string;
  readonly making: string;
  readonly licensing: string;
}

function card(facts: DataFacts & { readonly simulated?: boolean }, told: Told): string {
  const { dataSet, files, statistics, simulated = false } = facts;
  const { columns, summary } = CONTENT[dataSet];
  const front = renderFrontMatter({
    license: told.license,
    language: ['en'],
    size_categories: [sizeCategory(files.rows)],
    task_categories: ['text-generation'],
    tags: [
      'synthetic',
      ...(simulated ? ['simulated'] : []),
      told.tag,
      'personalization',
      'preferences',
      'cupid',
    ],
    pretty_name: dataSet,
    configs: configsOf(files),
    dataset_info: datasetInfo(columns, files),
  });
  const parts = [
    // Before the title: whoever reads one line reads this one.
    ...(simulated ? [SIMULATED, `# ${dataSet}`] : [`# ${dataSet}`, synthetic(told)]),
    summary,
    `## How it was made\n\n${told.making}`,
    `## Columns\n\n${columnsTable(dataSet)}`,
    `## Statistics\n\n${statisticsText(statistics)}`,
    `## Limits\n\n${bullets([...(simulated ? [SIMULATED_LIMIT] : []), unverified(told), ...LIMITS])}`,
    `## Licence\n\n${licenseSentence(told.license)} ${told.licensing}`,
    `## Citation\n\n${CITATION}`,
  ];
  return `${front}\n${parts.join('\n\n')}\n`;
}

/** The Hub's names for sizes. */
function sizeCategory(rows: number): string {
  if (rows < 1e3) return 'n<1K';
  if (rows < 1e4) return '1K<n<10K';
  if (rows < 1e5) return '10K<n<100K';
  return rows < 1e6 ? '100K<n<1M' : '1M<n<10M';
}

const SIMULATED =
  '**Simulated data: at least one of the models was a simulation that answers by rule, without any language model. ' +
  'It is for trying out the pipeline and says nothing about people or models; do not train or evaluate on it.**';

function synthetic({ checked }: Told): string {
  return (
    `Synthetic data, written by language models ${checked}, made with the method of ` +
    '[CUPID](https://arxiv.org/abs/2508.01674) (COLM 2025), a benchmark of preferences that depend on context.'
  );
}

const SIMULATED_LIMIT = 'Simulated: the texts are made by rule and repeat themselves.';

function unverified(told: Told): string {
  return `${told.unverified}: a preference may be hard to infer from the dialogues, or may show in the request. The published CUPID benchmark went through human validation.`;
}

const LIMITS = [
  'The users are simulated. How they speak, what they prefer and when they are satisfied are what the models make of it, with the models’ biases.',
  'English only, and the occupations and situations are those that the seed sentences and the models bring.',
  'The personas are fictitious; a likeness to living people is accidental.',
];

const DEFAULT_LICENSES = {
  personahub: PERSONA_HUB_LICENSE,
  'built-in': 'cc-by-4.0',
  file: 'cc-by-4.0',
} as const;

function licensing({ seeds, settings, otherModels }: CardFacts): string {
  const reason = {
    personahub: `[PersonaHub](${PERSONA_HUB})'s sentences, from which the personas were made, are under \`${PERSONA_HUB_LICENSE}\`.`,
    'built-in': 'The seed sentences are part of the program and bring no further condition.',
    file: 'The seed sentences are from a file of the maker; whoever publishes this data must know under which terms they stand.',
  }[seeds.origin];
  const generators = new Set([...Object.values(settings.models).map(modelName), ...otherModels]);
  return `${reason} The texts were generated by ${[...generators].map(code).join(', ')}: the terms that the models’ providers set for the use of their output apply as well.`;
}

const PERSONA_HUB = 'https://huggingface.co/datasets/proj-persona/PersonaHub';

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
