import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { writeEvalResults } from '../../../publishing/export/eval-results';
import type { ExportedResults } from '../../../publishing/export/results';
import type { ResultCell } from '../../../schemas/evaluation/results';
import { createEmptiedFolder } from '../../temporary-folder';

const folder = createEmptiedFolder();

const INSTANCES = 6;

function chosen(
  model: string,
  counted: number,
  withoutOptions = 0,
  context: 'full' | 'none' = 'full',
): ResultCell {
  const missing = { step: 'choose', kind: 'no-options', count: withoutOptions } as const;
  return {
    task: 'choice',
    model,
    context,
    evaluator: 'none',
    evaluator_form: 'letter',
    decomposer: null,
    all: {
      counts: {
        scored: counted,
        context_length: 0,
        missing: withoutOptions,
        open: 0,
        missing_by: withoutOptions === 0 ? [] : [missing],
      },
      n_personas: counted,
      inference: null,
      generation: null,
      choice: {
        accuracy: 2 / 3,
        chance: 1 / 4,
        paired_accuracy: null,
        paired_chance: null,
        n_pairs: 0,
        triple_accuracy: null,
        n_triples: 0,
        errors: { stale: 1 / 3, wrong_context: 0, other: 0 },
        n_instances: counted,
        intervals: { accuracy: null, paired_accuracy: null, triple_accuracy: null },
      },
    },
    by_type: {},
    setup: { data: 'paper', prompts: 'paper' },
  };
}

function resultsOf(cells: ResultCell[], source = 'hub:me/my-cupid@0a1b'): ExportedResults {
  return {
    cells,
    simulated: false,
    data: { argument: 'me/my-cupid', source, files: [], sha256: '', instances: INSTANCES },
    bootstrap: { seed: 42, resamples: 2000 },
    prompts: { source: '', hash: '', built_in: [] },
    rows: 'results.parquet',
    writtenAt: new Date('2026-11-26T08:41:00Z'),
    codeVersion: undefined,
    promptPack: undefined,
  };
}

test('a model that chose in all instances with options has a file for its repository', async () => {
  const { parts, scores } = await writeEvalResults(
    folder,
    resultsOf([
      chosen('together:Qwen/Qwen3.5-9B', INSTANCES),
      chosen('openai:gpt-6', INSTANCES - 2, 2),
      chosen('openai:other', INSTANCES, 0, 'none'),
    ]),
  );
  const paths = ['Qwen/Qwen3.5-9B', 'openai/gpt-6'].map((id) => `${id}/.eval_results/cupid-choice.yaml`);
  expect(parts.map(({ path }) => path)).toEqual(paths);
  expect(scores).toBe(2);
  for (const path of paths) {
    expect(parse(readFileSync(join(folder, path), 'utf8'))).toEqual([
      {
        dataset: { id: 'me/my-cupid', task_id: 'choice', revision: '0a1b' },
        value: 66.67,
        date: '2026-11-26',
      },
    ]);
  }
});

test('a model that lacks choices is left out, and named', async () => {
  const cells = [chosen('openai:a', INSTANCES), chosen('openai:b', INSTANCES - 1)];
  const { parts, notes } = await writeEvalResults(folder, resultsOf(cells));
  expect(parts).toHaveLength(1);
  expect(notes).toEqual([expect.stringContaining('Left out: openai:b')]);
  await expect(writeEvalResults(folder, resultsOf(cells.slice(1)))).rejects.toThrow(/No model has chosen/);
});

test('data that are not on the Hub are rejected', async () => {
  const results = resultsOf([chosen('openai:a', INSTANCES)], 'data.parquet');
  await expect(writeEvalResults(folder, results)).rejects.toThrow(/data\.parquet was evaluated/);
});
