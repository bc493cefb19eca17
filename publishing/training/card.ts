import { renderFrontMatter } from '../../data/card/front-matter';
import type { Split } from '../../schemas/dataset/split';

/** Statements of every card of training data. */
interface TrainingCard {
  readonly name: string;
  /** Tag of its format. */
  readonly tag: string;
  readonly simulated: boolean;
  readonly files: readonly { readonly split: Split; readonly path: string }[];
  readonly title: string;
  /** Paragraphs below the title. */
  readonly body: readonly string[];
  readonly license: string;
}

export function renderTrainingCard(card: TrainingCard): string {
  const { name, tag, simulated, files, title, body, license } = card;
  return [
    renderFrontMatter({
      language: ['en'],
      task_categories: ['text-generation'],
      tags: ['synthetic', ...(simulated ? ['simulated'] : []), 'cupid', tag],
      pretty_name: name,
      configs: [{ config_name: 'default', data_files: files }],
    }).trimEnd(),
    ...(simulated ? [SIMULATED] : []),
    `# ${title}`,
    ...body,
    `## License\n\n${license}\n`,
  ].join('\n\n');
}

const SIMULATED =
  '**Simulated data: the data set, a model or the evaluator was a simulation that answers by rule. Do not train a model on it.**';
