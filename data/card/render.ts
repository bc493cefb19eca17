import type { DataFigures } from '../../schemas/dataset/data-figures';
import type { DataStatistics } from '../../schemas/dataset/data-statistics';
import { formatModelName } from '../../schemas/model/model-spec';
import type { Marks } from '../marks/marks';
import { renderCanary } from '../marks/canary';
import { renderColumns, CONTENT, type DataSetName } from './content';
import { type CardFiles, buildConfigs, buildDatasetInfo } from './dataset-info';
import { renderFigures } from './figures';
import { OURS_TAG, OWN_TAXONOMY_TAG, renderFrontMatter } from './front-matter';
import { formatLicenseSentence, PERSONA_HUB_LICENSE, UNKNOWN_LICENSE } from './licenses';
import { type MakingFacts, renderMaking } from './making';
import { renderBullets, formatCode } from './markdown';
import { renderStatistics } from './statistics';

/** Facts for the card of any data. Without a license, the card says that it is unknown. */
export interface DataFacts extends Marks {
  readonly dataSet: DataSetName;
  readonly files: CardFiles;
  readonly statistics: DataStatistics;
  readonly figures: DataFigures;
  /** An identifier of the Hub. */
  readonly license?: string;
}

/**
 * Facts for the card of a run's data set. Without a license, that of its personas' data applies; else cc-by-nc-sa-4.0 for PersonaHub's
 * seeds, and cc-by-4.0 for others.
 */
export interface CardFacts extends DataFacts, MakingFacts {
  /** True if any model of the run, or the data that its personas are from, was simulated. */
  readonly simulated: boolean;
}

/** Renders the README.md of a run's data set: front matter for the Hub and `datasets`, then prose for people. */
export function renderCard(facts: CardFacts): string {
  const license = facts.license ?? facts.seeds.license ?? DEFAULT_LICENSES[facts.seeds.origin];
  return renderAnyCard(facts, {
    license,
    tag: OURS_TAG,
    tags: facts.settings.taxonomy === undefined ? [] : [OWN_TAXONOMY_TAG],
    checked: 'and not checked by people',
    unverified: 'People have not verified the rows',
    making: renderMaking(facts),
    licensing: renderLicensing(facts),
  });
}

/** Renders the README.md of an imported data set. */
export function renderImportedCard(facts: DataFacts): string {
  return renderAnyCard(facts, {
    license: facts.license ?? UNKNOWN_LICENSE,
    tag: 'imported',
    tags: [],
    checked: '(it is unknown whether people have checked it)',
    unverified: 'It is unknown whether people have verified the rows',
    making:
      'Imported from files in the layout of the CUPID reference program. The files do not record the models, prompts, settings, ' +
      'seeds and costs, so these are unknown.',
    licensing:
      `If the personas were generated from the sentences of [PersonaHub](${PERSONA_HUB}), as those of the reference program are, its ` +
      `license (${PERSONA_HUB_LICENSE}) applies. The terms of the models' providers for the use of their output apply in any case.`,
  });
}

/** Parts of a card that depend on who made the data. */
interface CardText {
  readonly license: string;
  readonly tag: string;
  /** Further tags. */
  readonly tags: readonly string[];
  /** Whether people have checked the data, as an aside and as the beginning of a sentence. */
  readonly checked: string;
  readonly unverified: string;
  readonly making: string;
  readonly licensing: string;
}

function renderAnyCard(facts: DataFacts, text: CardText): string {
  const { dataSet, files, statistics, figures, simulated = false, canary } = facts;
  const { columns, summary } = CONTENT[dataSet];
  const front = renderFrontMatter({
    license: text.license,
    language: ['en'],
    size_categories: [getSizeCategory(files.rows)],
    task_categories: ['text-generation'],
    tags: [
      'synthetic',
      ...(simulated ? ['simulated'] : []),
      text.tag,
      'personalization',
      'preferences',
      'cupid',
      ...text.tags,
    ],
    pretty_name: dataSet,
    configs: buildConfigs(files),
    dataset_info: buildDatasetInfo(columns, files),
  });
  const parts = [
    // Before the title, so that it is the first line a reader sees.
    ...(simulated ? [SIMULATED, `# ${dataSet}`] : [`# ${dataSet}`, renderSynthetic(text)]),
    ...(canary === undefined ? [] : [renderCanary(canary)]),
    summary,
    `## How it was made\n\n${text.making}`,
    `## Columns\n\n${renderColumns(dataSet)}`,
    `## Statistics\n\n${renderStatistics(statistics)}`,
    `## Quality\n\n${renderFigures(figures)}`,
    `## Limits\n\n${renderBullets([...(simulated ? [SIMULATED_LIMIT] : []), `${text.unverified}: ${UNVERIFIED}`, ...LIMITS])}`,
    `## License\n\n${formatLicenseSentence(text.license)} ${text.licensing}`,
    `## Citation\n\n${CITATION}`,
  ];
  return `${front}\n${parts.join('\n\n')}\n`;
}

export function getSizeCategory(rows: number): string {
  if (rows < 1e3) return 'n<1K';
  if (rows < 1e4) return '1K<n<10K';
  if (rows < 1e5) return '10K<n<100K';
  return rows < 1e6 ? '100K<n<1M' : '1M<n<10M';
}

const SIMULATED =
  '**Simulated data: at least one of the models was a simulation that answers by rule, without a language model. ' +
  'Use it only to try out the pipeline: it says nothing about people or models. Do not train or evaluate on it.**';

/** Returns the card of rows that people have checked since it was written. */
export function withChecked(card: string): string {
  return card
    .replace(new RegExp(`(?<=${SYNTHETIC})[^,]*`), 'and checked by people')
    .replace(new RegExp(`^- [^\n]*: ${UNVERIFIED}\n`, 'm'), '');
}

const SYNTHETIC = 'Synthetic data, generated by language models ';

function renderSynthetic({ checked }: CardText): string {
  return (
    `${SYNTHETIC}${checked}, with the method of ` +
    '[CUPID](https://arxiv.org/abs/2508.01674) (COLM 2025), a benchmark of preferences that depend on context.'
  );
}

const SIMULATED_LIMIT = 'Simulated: the texts are generated by rule and repeat themselves.';

const UNVERIFIED =
  'a preference may be hard to infer from the dialogues, or may be visible in the request. The published CUPID benchmark was validated by people.';

const LIMITS = [
  'The users are simulated: the models decide how they speak, what they prefer and when they are satisfied, with the models’ biases.',
  'The data is in English only, and its occupations and situations are limited to those of the seed sentences and the models.',
  'The personas are fictitious; any similarity to living people is accidental.',
];

const DEFAULT_LICENSES = {
  personahub: PERSONA_HUB_LICENSE,
  'built-in': 'cc-by-4.0',
  file: 'cc-by-4.0',
  personas: 'cc-by-4.0',
} as const;

function renderLicensing({ seeds, settings, otherModels }: CardFacts): string {
  const reason = {
    personahub: `The personas were generated from the sentences of [PersonaHub](${PERSONA_HUB}), which are licensed under \`${PERSONA_HUB_LICENSE}\`.`,
    'built-in': 'The seed sentences are part of the program and add no conditions.',
    file: 'The seed sentences are from a custom file: check its license before you publish this data.',
    personas:
      seeds.license === undefined || seeds.license === UNKNOWN_LICENSE
        ? 'The persona descriptions are from a custom file: check its license before you publish this data.'
        : `The persona descriptions are from a data set that is licensed under \`${seeds.license}\`.`,
  }[seeds.origin];
  const generators = new Set([...Object.values(settings.models).map(formatModelName), ...otherModels]);
  return `${reason} The texts were generated by ${[...generators].map(formatCode).join(', ')}: the terms of the models’ providers for the use of their output apply as well.`;
}

const PERSONA_HUB = 'https://huggingface.co/datasets/proj-persona/PersonaHub';

const CITATION = `The method and the published benchmark are from CUPID (COLM 2025, [arXiv:2508.01674](https://arxiv.org/abs/2508.01674)):

\`\`\`bibtex
@inproceedings{kim2025cupid,
  title     = {{CUPID}: Evaluating Personalized and Contextualized Alignment of {LLMs} from Interactions},
  author    = {Kim, Tae Soo and Lee, Yoonjoo and Park, Yoonah and Kim, Jiho and Kim, Young-Ho and Kim, Juho},
  booktitle = {Conference on Language Modeling ({COLM})},
  year      = {2025},
  url       = {https://arxiv.org/abs/2508.01674}
}
\`\`\``;
