import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { EVALUATION_COLUMNS } from '../../../data/tables/columns';
import { writeEvaluationPlan } from '../../../data/run/evaluation-plan';
import { DataError } from '../../../data/store/data-error';
import { writeParquet } from '../../../data/tables/parquet';
import { createFolderStore } from '../../../data/store/store';
import { loadPromptPack } from '../../../data/prompts/load';
import { renderPrompt } from '../../../data/prompts/render';
import { exportData } from '../../../publishing/export';
import { checkMatch } from '../../../rules/answers/evaluation/match';
import { computeStress } from '../../../rules/analyses/stress';
import { buildEvaluationRow } from '../../../rules/trials/rows';
import type { Outcome } from '../../../rules/trials/outcomes';
import type { Cell, EvaluationRow } from '../../../schemas/evaluation/evaluation';
import { type EvaluationInputs, evaluationSettingsSchema } from '../../../schemas/evaluation/evaluation-run';
import type { EvaluatorName } from '../../../schemas/evaluation/results/keys';
import type { StressValue } from '../../../schemas/evaluation/results/studies';
import { createEmptiedFolder } from '../../temporary-folder';
import { buildFullResults } from '../evaluation-results';
import { getValue } from '../rules/examples';
import { AROUND } from './edge-data';
import { buildSoundInstances } from './sound-data';

const folder = createEmptiedFolder();

const SELECTION = { limit: null, types: ['consistent' as const] };
const CELL = {
  task: 'inference',
  model: 'openai:tested',
  context: 'full',
  decomposer: 'openai:judge',
  matcher: { spec: 'openai:judge', form: 'evaluator' },
  selection: SELECTION,
} as const satisfies Cell;
const INPUTS: EvaluationInputs = {
  kind: 'evaluation',
  id: 'e',
  models: ['openai:tested', 'openai:other'],
  evaluators: ['openai:judge', 'openai:prefmatcher'],
  settings: evaluationSettingsSchema.parse({}),
  prompts: { source: 'mine', hash: 'abc' },
  cells: [CELL],
  data: { argument: 'data', source: 'hub:me/data@1', files: [], sha256: '', instances: 1 },
};
const [FIRST, SECOND] = buildSoundInstances(1);
if (FIRST === undefined || SECOND === undefined) throw new Error('There are no instances.');
const ENTRIES = FIRST.current_checklist.map((_, index) => (index === 0 ? 'Fully Covered' : 'Not Covered'));

function scored(preference: string, checklist: string[]): Outcome {
  return {
    task: 'inference',
    state: 'scored',
    preference,
    checklist,
    labels: { inferred: checklist.map(() => 'Partially Covered'), truth: ENTRIES },
    answeredBy: [],
  };
}

function rowOf(outcome: Outcome, cell: Cell = CELL, instance = FIRST, simulated = false): EvaluationRow {
  if (instance === undefined) throw new Error('There is no instance.');
  const inputs = { ...INPUTS, data: { ...INPUTS.data, simulated } };
  return buildEvaluationRow(inputs, cell, { instance, priorTokens: 9, synthesizer: null }, outcome);
}

const sampleSchema = z.strictObject({
  messages: z.tuple([
    z.strictObject({ role: z.literal('system'), content: z.string() }),
    z.strictObject({ role: z.literal('user'), content: z.string() }),
    z.strictObject({ role: z.literal('assistant'), content: z.string() }),
  ]),
});

async function exported(rows: readonly EvaluationRow[]) {
  const out = join(folder, 'out');
  await writeParquet(join(folder, 'results.parquet'), EVALUATION_COLUMNS, rows);
  const report = await exportData(folder, { format: 'prefmatcher', outputDir: out }, AROUND);
  const lines = readFileSync(join(out, 'train.jsonl'), 'utf8').trimEnd().split('\n');
  const card = readFileSync(join(out, 'README.md'), 'utf8');
  return { report, card, samples: lines.map((line) => sampleSchema.parse(JSON.parse(line)).messages) };
}

const PROMPT = 'evaluation/preference_matcher_model';

test('an instance and a model give two samples: each checklist against the other’s preference, answered as judged', async () => {
  const inferred = ['Is it "short", and — gently — kind?', 'Does it end\nthere?'];
  const { samples, report } = await exported([rowOf(scored('Short and kind.', inferred))]);
  expect(report).toMatchObject({ format: 'prefmatcher', samples: 2, simulated: false });
  const pack = await loadPromptPack(undefined, [PROMPT]);
  const asked = [
    { preference: FIRST.current_contextual_preference, checklist: inferred },
    { preference: 'Short and kind.', checklist: FIRST.current_checklist },
  ];
  for (const [index, { preference, checklist }] of asked.entries()) {
    const [system, user, assistant] = samples[index] ?? [];
    const numbered = checklist.map((entry, place) => `${place + 1}. ${entry}`).join('\n');
    const rendered = renderPrompt(pack, PROMPT, { preference, checklist: numbered });
    expect(system?.content).toBe(rendered.system);
    expect(user?.content).toBe(rendered.user);
    expect(user?.content).toMatch(/^#### Criterion\n\n[\s\S]+#### Checklist\n\n1\. /);
    const answer: unknown = JSON.parse(assistant?.content ?? '');
    expect(answer).toEqual(
      checklist.map((entry, place) => ({
        index: place + 1,
        entry,
        label: index === 0 ? 'Partially Covered' : ENTRIES[place],
      })),
    );
    // This program parses it as a matcher's answer.
    expect(getValue(checkMatch(assistant?.content ?? '', checklist))).toEqual(
      index === 0 ? checklist.map(() => 'Partially Covered') : ENTRIES,
    );
  }
});

test('only what an evaluator has matched whole is learned from; no task, state or form besides', async () => {
  const good = scored('Short.', ['Is it short?']);
  const { samples } = await exported([
    rowOf(good),
    rowOf(good, {
      ...CELL,
      model: 'openai:other',
      matcher: { spec: 'openai:prefmatcher', form: 'prefmatcher' },
    }),
    rowOf({ task: 'inference', state: 'open', answeredBy: [] }),
    rowOf({ task: 'inference', state: 'context-length', answeredBy: [] }),
    rowOf({
      task: 'inference',
      state: 'missing',
      preference: 'Long.',
      checklist: ['Is it long?'],
      missing: { step: 'match', kind: 'bad-answers', cause: '' },
      answeredBy: [],
    }),
    rowOf(
      { task: 'generation', state: 'scored', response: 'Hm.', score: 3, analysis: '', answeredBy: [] },
      {
        task: 'generation',
        model: 'openai:tested',
        context: 'full',
        judge: 'openai:judge',
        selection: SELECTION,
      },
    ),
  ]);
  expect(samples).toHaveLength(2);
});

test('samples stand in the order of the results; empty checklists and repetitions are left out and counted', async () => {
  const other = { ...CELL, model: 'openai:other' } as const;
  const { samples, card } = await exported([
    rowOf(scored('One.', ['Is it one?']), CELL, SECOND),
    rowOf(scored('Two.', [])),
    rowOf(scored('One.', ['Is it one?']), other, SECOND),
    rowOf(scored('Three.', ['Is it three?']), other),
  ]);
  const requests = samples.map(([, user]) => /One\.|Two\.|Three\.|Is it \w+\?/.exec(user.content)?.[0]);
  expect(requests).toEqual(['Is it one?', 'One.', 'Two.', 'Is it three?', 'Three.']);
  expect(card).toContain('Samples: 5, of 4 judged inferences.');
  expect(card).toContain('1 with an empty checklist, 2 exact duplicates');
  expect(card).toContain('| `openai:tested` | full | `openai:judge` | 3 |');
  expect(card).toContain('| `openai:other` | full | `openai:judge` | 2 |');
});

test('the card says first that data are simulated, and names license and prompts', async () => {
  const row = rowOf(scored('Short.', ['Is it short?']), CELL, FIRST, true);
  const { card, report } = await exported([row]);
  expect(report.simulated).toBe(true);
  expect(card.split('---\n')[2]?.trimStart()).toMatch(/^\*\*Simulated data:/);
  expect(card).toContain((await loadPromptPack(undefined, [PROMPT])).hash);
  expect(card).toContain('## License');
  expect(card).toContain('Evaluated data set: unknown');
});

test('the questions are put with the evaluation’s own prompts, and its data set is named', async () => {
  const prompts = {
    source: 'mine',
    hash: 'f00d',
    prompts: { [PROMPT]: { system_prompt: 'Mine.', user_prompt: '{preference} | {checklist}' } },
  };
  await writeEvaluationPlan(createFolderStore(join(folder, '.cupid')), { inputs: INPUTS, prompts });
  const { samples, card } = await exported([rowOf(scored('Short.', ['Is it short?']))]);
  expect(samples[0]?.map(({ content }) => content).slice(0, 2)).toEqual([
    'Mine.',
    `${FIRST.current_contextual_preference} | 1. Is it short?`,
  ]);
  expect(card).toContain('f00d');
  expect(card).toContain('hub:me/data@1');
});

const exporting = () => {
  const outputDir = join(folder, 'new', 'parent', 'out');
  return exportData(folder, { format: 'prefmatcher', outputDir }, AROUND);
};

describe('refused, with nothing left behind', () => {
  test('a folder without results', async () => {
    await expect(exporting()).rejects.toThrow(/is not a results folder/);
    await expect(exporting()).rejects.toThrow(DataError);
  });

  test('results without judgments', async () => {
    const open = rowOf({ task: 'inference', state: 'open', answeredBy: [] });
    await writeParquet(join(folder, 'results.parquet'), EVALUATION_COLUMNS, [open]);
    await expect(exporting()).rejects.toThrow(/has no judgments to train on/);
    expect(readdirSync(folder)).toEqual(['results.parquet']);
  });

  test('labels that are not as many as the entries', async () => {
    const row = { ...rowOf(scored('Short.', ['Is it short?'])), inferred_labels: [] };
    await writeParquet(join(folder, 'results.parquet'), EVALUATION_COLUMNS, [row]);
    await expect(exporting()).rejects.toThrow(
      /results\.parquet, row 1, field inferred_labels: expected 1 label, one for each entry, found 0/,
    );
    expect(readdirSync(folder)).toEqual(['results.parquet']);
  });
});

test('the card says how often the labels are wrong, or that it is unknown', async () => {
  const rows = [rowOf(scored('Short.', ['Is it short?']))];
  expect((await exported(rows)).card).toContain(
    '- How often the labels are wrong is unknown: the evaluators had no stress test.',
  );
  rmSync(join(folder, 'out'), { recursive: true });
  const full = buildFullResults();
  const tested: EvaluatorName = { evaluator: 'openai:judge', evaluator_form: 'evaluator' };
  const values = ['1', '2'].map((persona_id): StressValue => ({
    ...tested,
    persona_id,
    kind: 'general',
    value: 0,
  }));
  const stress = computeStress([tested], values, { requested: 2, sampled: 2 });
  const results = { ...full, analyses: { ...full.analyses, stress } };
  writeFileSync(join(folder, 'results.json'), JSON.stringify(results));
  // None of two: up to 3.8416 / 5.8416.
  expect((await exported(rows)).card).toContain(
    '- Stress test: `openai:judge` as matcher accepted 0.0 % (95 %: 0.0–65.8 %) of wrong answers and rejected an unknown share of right ones, in answers about 2 personas.',
  );
});
