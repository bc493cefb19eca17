import { renderFrontMatter } from '../../data/card/front-matter';
import { renderBullets, formatCode, renderTable } from '../../data/card/markdown';
import { formatNumber } from '../../schemas/text/count-text';
import type { JudgedRow, Judgements } from './judgements';

/** Counts of an evaluation's judgements that became training data, and of those left out. */
export interface SampleCounts {
  samples: number;
  /** Judged inferences. */
  rows: number;
  /** Samples that there would be, were there an entry to label. */
  emptyChecklists: number;
  /** Samples that are there already, word for word. */
  repeated: number;
  /** How many samples come of a model and an evaluator, in order of the first. */
  readonly sources: Map<string, number>;
}

/** Returns the key under which the card counts judgements together. */
export function buildSourceKey({ model, context, evaluator }: JudgedRow): string {
  return JSON.stringify([model, context, evaluator]);
}

export function renderTrainingCard({ data, simulated, prompts }: Judgements, counts: SampleCounts): string {
  return [
    renderFrontMatter({
      language: ['en'],
      task_categories: ['text-generation'],
      tags: ['synthetic', ...(simulated ? ['simulated'] : []), 'cupid', 'prefmatcher'],
      pretty_name: 'CUPID matcher training data',
      configs: [{ config_name: 'default', data_files: [{ split: 'train', path: 'train.jsonl' }] }],
    }).trimEnd(),
    ...(simulated ? [SIMULATED] : []),
    '# Training data for a preference matcher',
    'Each line is a conversation: a system prompt; the question how far a preference covers each entry of a checklist; and the ' +
      'answer, a JSON list with a label for every entry, as an evaluator model judged it. There are two per instance and model: the ' +
      'checklist of the inferred preference against the true preference, and the true checklist against the inferred preference ' +
      '(CUPID, [arXiv:2508.01674](https://arxiv.org/abs/2508.01674), appendix A.1).',
    renderBullets([
      `Samples: ${formatNumber(counts.samples)}, of ${formatNumber(counts.rows)} judged inferences.`,
      `Left out: ${formatNumber(counts.emptyChecklists)} with an empty checklist, ${formatNumber(counts.repeated)} exact duplicates.`,
      `Evaluated data set: ${data === undefined ? 'unknown' : formatCode(data)}.`,
      `Prompts: ${prompts.source === 'built-in' ? 'the built-in pack' : 'a custom pack'}, SHA-256 ${formatCode(prompts.hash)}.`,
    ]),
    renderTable(
      ['Model', 'History', 'Evaluator', 'Samples'],
      [...counts.sources].map(([key, samples]) => {
        const [model = '', context = '', evaluator = ''] = parseSourceKey(key);
        return [formatCode(model), context, formatCode(evaluator), formatNumber(samples)];
      }),
    ),
    '## License\n\n' +
      'No license has been chosen. The texts come from the evaluated data set, the inferred preferences from the models named above, and ' +
      "the labels from the evaluator. The license of that data set applies, and so do the terms of the models' providers for the use of " +
      'their output, which may forbid training other models on it.\n',
  ].join('\n\n');
}

function parseSourceKey(key: string): string[] {
  const names: unknown = JSON.parse(key);
  return Array.isArray(names) ? names.map(String) : [];
}

const SIMULATED =
  '**Simulated data: the data set, a model or the evaluator was a simulation that answers by rule. Do not train a model on it.**';
