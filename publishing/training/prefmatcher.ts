import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeHashed } from '../../data/store/files';
import { DataError } from '../../data/store/data-error';
import { CARD } from '../../data/folders/folder';
import { writeTextPart } from '../../data/store/new-folder';
import { renderPrompt } from '../../data/prompts/render';
import { renderChecklist } from '../../data/prompts/values';
import type { MatchLabel } from '../../schemas/matching/match-label';
import type { ExportReport } from '../../schemas/dataset/export';
import type { PromptPack } from '../../schemas/run/prompts';
import { renderStressOf } from '../../data/card/evaluation';
import { formatCode, renderBullets, renderMarkdownTable } from '../../data/card/markdown';
import { formatNumber } from '../../schemas/text/count-text';
import { PREFMATCHER_PROMPT } from '../../data/prompts/files';
import { buildTextTable } from '../../schemas/text/table';
import type { JudgedRow, Judgements } from './judgements';
import { renderTrainingCard } from './card';

/**
 * Writes what an evaluator judged as training data for a matcher (paper, A.1), chat as JSON lines: of each instance and model two
 * samples, the predicted checklist against the true preference, and the true checklist against the inferred one. They stand in the
 * order of the results.
 * @throws DataError when there is nothing to learn from
 */
export async function writeTrainingData(
  folder: string,
  judgements: Judgements,
): Promise<Pick<ExportReport, 'source' | 'samples' | 'simulated' | 'parts' | 'notes'>> {
  const counts: SampleCounts = { samples: 0, rows: 0, emptyChecklists: 0, repeated: 0, sources: new Map() };
  const lines = sampleLines(judgements, counts);
  const { bytes } = await writeHashed(join(folder, FILE), lines, createHash('sha256'));
  if (counts.samples === 0) {
    throw new DataError(
      `${judgements.source} has no judgments to train on: no evaluator matched an inference. ` +
        'Run cupid eval with --task inference and without --use-matcher.',
    );
  }
  return {
    source: judgements.source,
    samples: counts.samples,
    simulated: judgements.simulated,
    parts: [
      { path: FILE, files: 1, rows: counts.samples, bytes },
      await writeTextPart(folder, CARD, renderMatcherCard(judgements, counts)),
    ],
    notes: [],
  };
}

const FILE = 'train.jsonl';

/** Counts of an evaluation's judgments that became training data, and of those left out. */
interface SampleCounts {
  samples: number;
  /** Judged inferences. */
  rows: number;
  /** Samples that there would be, were there an entry to label. */
  emptyChecklists: number;
  /** Samples that are there already, word for word. */
  repeated: number;
  /** How many samples come of a model and an evaluator, in order of the first, with the cells of the card's row. */
  readonly sources: Map<string, { readonly cells: readonly string[]; samples: number }>;
}

async function* sampleLines(judgements: Judgements, counts: SampleCounts): AsyncGenerator<Uint8Array> {
  const hashes = new Set<string>();
  for await (const row of judgements.rows()) {
    counts.rows += 1;
    for (const { preference, checklist, labels } of buildPairs(row)) {
      if (checklist.length === 0) {
        counts.emptyChecklists += 1;
        continue;
      }
      const line = JSON.stringify(sampleOf(judgements.prompts, preference, checklist, labels));
      const hash = createHash('sha256').update(line).digest('base64');
      if (hashes.has(hash)) {
        counts.repeated += 1;
        continue;
      }
      hashes.add(hash);
      counts.samples += 1;
      const cells = [formatCode(row.model), row.context, formatCode(row.evaluator)];
      const source = counts.sources.get(cells.join()) ?? { cells, samples: 0 };
      source.samples += 1;
      counts.sources.set(cells.join(), source);
      yield Buffer.from(`${line}\n`);
    }
  }
}

interface LabelledChecklist {
  readonly preference: string;
  readonly checklist: readonly string[];
  readonly labels: readonly MatchLabel[];
}

function buildPairs(row: JudgedRow): LabelledChecklist[] {
  return [
    { preference: row.true_preference, checklist: row.inferred_checklist, labels: row.inferred_labels },
    { preference: row.inferred_preference, checklist: row.true_checklist, labels: row.true_labels },
  ];
}

/** Builds a question in PrefMatcher's form with its answer, the labeled list. */
function sampleOf(
  prompts: PromptPack,
  preference: string,
  checklist: readonly string[],
  labels: readonly MatchLabel[],
): object {
  const { system, user = '' } = renderPrompt(prompts, PREFMATCHER_PROMPT, {
    preference,
    checklist: renderChecklist(checklist),
  });
  const answer = checklist.map((entry, index) => ({ index: index + 1, entry, label: labels[index] }));
  return {
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
      { role: 'assistant', content: JSON.stringify(answer, null, 2) },
    ],
  };
}

function renderMatcherCard({ data, simulated, prompts, stress }: Judgements, counts: SampleCounts): string {
  return renderTrainingCard({
    name: 'CUPID matcher training data',
    tag: 'prefmatcher',
    simulated,
    files: [{ split: 'train', path: FILE }],
    title: 'Training data for a preference matcher',
    body: [
      'Each line is a conversation: a system prompt; the question of how far a preference covers each entry of a checklist; and the ' +
        'answer, a JSON list with a label for every entry, as an evaluator model judged it. There are two per instance and model: the ' +
        'checklist of the inferred preference against the true preference, and the true checklist against the inferred preference ' +
        '(CUPID, [arXiv:2508.01674](https://arxiv.org/abs/2508.01674), appendix A.1).',
      renderBullets([
        `Samples: ${formatNumber(counts.samples)}, of ${formatNumber(counts.rows)} judged inferences.`,
        `Left out: ${formatNumber(counts.emptyChecklists)} with an empty checklist, ${formatNumber(counts.repeated)} exact duplicates.`,
        ...renderStressOf(stress, ['evaluator'], 'labels'),
        `Evaluated data set: ${data === undefined ? 'unknown' : formatCode(data)}.`,
        `Prompts: ${prompts.source === 'built-in' ? 'the built-in pack' : 'a custom pack'}, SHA-256 ${formatCode(prompts.hash)}.`,
      ]),
      renderMarkdownTable(
        buildTextTable(
          ['Model', 'Context', 'Evaluator', 'Samples'],
          [...counts.sources.values()].map(({ cells, samples }) => [...cells, formatNumber(samples)]),
        ),
      ),
    ],
    license:
      'No license has been chosen. The texts come from the evaluated data set, the inferred preferences from the models named above, and ' +
      "the labels from the evaluator. The license of that data set applies, and so do the terms of the models' providers for the use of " +
      'their output, which may forbid training other models on it.',
  });
}
