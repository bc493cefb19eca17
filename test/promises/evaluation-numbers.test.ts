import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import type { Instance } from '../../schemas/dataset/instance';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { getPart, needing } from '../parts/needing';
import { readWithAllReaders } from '../readers/readers';
import { runLoaded } from '../end-to-end/loaded-command';
import { createTemporaryFolder } from '../temporary-folder';
import { readResults } from '../end-to-end/results';
import { ScriptedServer, type Asked, type Scripted } from '../end-to-end/scripted-server';

const withReaders = needing('readers');

/**
 * Every answer, written by hand: the labels of the inferred checklist, those of the true one (F, P, N for fully, partially, not covered),
 * and the judge's score. The numbers below were computed from these on paper.
 */
const ANSWERS: Readonly<Record<string, readonly [inferred: string, truth: string, score: number]>> = {
  '1 consistent': ['FF', 'FP', 9],
  '1 contrastive': ['FPNN', 'N', 3],
  '1 changing': ['P', 'FFNN', 6],
  '2 consistent': ['FFFF', 'FF', 10],
  '2 contrastive': ['NN', 'NN', 1],
  '2 changing': ['FN', 'FPPN', 4],
  '3 consistent': ['FFP', 'F', 8],
  '3 contrastive': ['PP', 'FFF', 7],
  '3 changing': ['F', 'PNN', 2],
};

/** Computes the harmonic mean, as the paper's 2.3 defines F1. */
const f1 = (precision: number, recall: number) => (2 * precision * recall) / (precision + recall);

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const folder = createTemporaryFolder();
const data = join(folder, 'data.parquet');
const pack = join(folder, 'pack');
let server: ScriptedServer;

beforeAll(async () => {
  await writeParquet(data, INSTANCE_COLUMNS, instances());
  await writePack();
  server = await ScriptedServer.start(answer);
});

afterEach(() => expect(server.problems).toEqual([]));
afterAll(() => server[Symbol.asyncDispose]());

describe('the numbers of an evaluation are those worked out by hand, to the last digit', () => {
  const results = join(folder, 'results');

  beforeAll(async () => {
    // The second model's missing scores make it finish with failures.
    expect(await evaluate(results, [server.spec('first'), server.spec('second')])).toMatchObject({ code: 3 });
  });

  test('all instances: sums, micro and macro averages, mean score', async () => {
    const [inference, , generation] = await cellsOf(results);
    expect(inference).toMatchObject({ task: 'inference', model: 'openai-compatible:first' });
    expect(inference?.all.counts).toEqual(COMPLETE);
    expect(inference?.all.inference).toMatchObject({
      n_predicted: 21,
      n_predicted_matched: 13.5,
      n_true: 22,
      n_true_matched: 12,
      precision: 13.5 / 21,
      recall: 12 / 22,
      f1: f1(13.5 / 21, 12 / 22),
      n_instances: 9,
      macro: {
        precision: mean([1, 1.5 / 4, 0.5, 1, 0, 0.5, 2.5 / 3, 0.5, 1]),
        recall: mean([0.75, 0, 0.5, 1, 0, 0.5, 1, 1, 0.5 / 3]),
        f1: mean([f1(1, 0.75), 0, 0.5, 1, 0, 0.5, f1(2.5 / 3, 1), f1(0.5, 1), f1(1, 0.5 / 3)]),
      },
    });
    // The same as fractions: 9/14, 6/11, 36/61.
    expect(inference?.all.inference?.f1).toBeCloseTo(36 / 61, 14);
    expect(generation).toMatchObject({
      task: 'generation',
      model: 'openai-compatible:first',
      setup: {
        data: expect.stringMatching(/^other \(.+\)$/),
        prompts: expect.stringMatching(/^other \(.*pack\)$/),
        judge: 'other (openai-compatible:panel)',
      },
    });
    expect(generation?.all).toMatchObject({
      counts: COMPLETE,
      generation: { average_score: 50 / 9, n_instances: 9 },
    });
  });

  test('each instance type by itself', async () => {
    const [inference, , generation] = await cellsOf(results);
    expect(inference?.by_type).toMatchObject({
      consistent: { inference: averages([8.5, 9], [4.5, 5]) },
      contrastive: { inference: averages([2.5, 8], [3, 6]) },
      changing: { inference: averages([2.5, 4], [4.5, 11]) },
    });
    expect(generation?.by_type).toMatchObject({
      consistent: { generation: { average_score: 9, n_instances: 3 } },
      contrastive: { generation: { average_score: 11 / 3, n_instances: 3 } },
      changing: { generation: { average_score: 4, n_instances: 3 } },
    });
  });

  test('too long a history counts as nothing matched and score 0; what is missing counts nowhere', async () => {
    const [, inference, , generation] = await cellsOf(results);
    expect(inference).toMatchObject({ task: 'inference', model: 'openai-compatible:second' });
    expect(inference?.all.counts).toEqual({
      scored: 7,
      context_length: 1,
      missing: 1,
      open: 0,
      missing_counts: [{ step: 'decompose', kind: 'bad-answers', count: 1 }],
    });
    expect(inference?.all.inference).toMatchObject({ ...averages([12.5, 18], [11.5, 20]), n_instances: 8 });
    expect(generation?.all.counts).toEqual({
      scored: 7,
      context_length: 1,
      missing: 1,
      open: 0,
      missing_counts: [{ step: 'judge', kind: 'bad-answers', count: 1 }],
    });
    expect(generation?.all.generation).toMatchObject({ average_score: 45 / 8, n_instances: 8 });
  });

  withReaders.test(
    'micro averages and mean scores come out the same, bit for bit, from the labels by SQL and by Python',
    async () => {
      const cells = await cellsOf(results);
      const expected = ['first', 'second'].map((name) => {
        const ofModel = cells.filter(({ model }) => model === `openai-compatible:${name}`);
        const [inference] = ofModel.flatMap(({ all }) => all.inference ?? []);
        const [generation] = ofModel.flatMap(({ all }) => all.generation ?? []);
        return [
          `openai-compatible:${name}`,
          inference?.precision ?? null,
          inference?.recall ?? null,
          inference?.f1 ?? null,
          generation?.average_score ?? null,
        ];
      });
      expect(expected.flat()).not.toContain(null);
      const { stdout } = await promisify(execFile)(getPart('readers'), [
        '-c',
        RECOMPUTE,
        join(results, 'results.parquet'),
      ]);
      expect(JSON.parse(stdout)).toEqual({ duckdb: expected, pyarrow: expected });
    },
  );

  withReaders.test('pyarrow, polars, DuckDB and datasets read the rows alike', async () => {
    const readings = await readWithAllReaders(join(results, 'results.parquet'));
    const [first, ...others] = Object.values(readings);
    expect(Object.keys(readings).toSorted()).toEqual(['datasets', 'duckdb', 'polars', 'pyarrow']);
    for (const { columns, rows } of others) {
      expect(columns).toEqual(first?.columns);
      expect(rows).toEqual(first?.rows);
    }
    expect(first?.columns).toContain('n_true_matched: double');
    expect(first?.columns).toContain('score: int64');
    expect(first?.columns).toContain('inferred_labels: list<string>');
    expect(first?.rows).toHaveLength(36);
    expect(first?.rows[2]).toMatchObject({
      persona_id: '1+baker',
      instance_type: 'consistent',
      task: 'inference',
      model: 'openai-compatible:second',
      state: 'scored',
      inferred_preference: 'Guess by second for 1 consistent',
      inferred_checklist: ['Guess by second 1 of 1 consistent: F', 'Guess by second 2 of 1 consistent: F'],
      inferred_labels: ['Fully Covered', 'Fully Covered'],
      true_labels: ['Fully Covered', 'Partially Covered'],
      precision: 1,
      recall: 0.75,
      f1: 6 / 7,
      score: null,
      response: null,
    });
  });
});

describe('answers that the form does not allow', () => {
  const FIRST_SIX = ['--limit=6'];

  test("--reference-compatible reads them as the authors' program does, sums as it does, and asks nothing twice", async () => {
    const results = join(folder, 'compatible');
    const from = server.asked.length;
    const spec = [server.spec('odd')];
    expect(await evaluate(results, spec, [...FIRST_SIX, '--reference-compatible'])).toMatchObject({
      code: 3,
    });
    const asked = server.asked.slice(from);
    // 6 inferences, 5 of them not empty, 4 of these decomposed and matched twice; 6 responses, all judged.
    expect(countsOf(asked.map(stepIn))).toEqual({ INFER: 6, DECOMPOSE: 5, MATCH: 8, RESPOND: 6, JUDGE: 6 });
    expect(Math.max(...Object.values(countsOf(asked.map(({ messages }) => JSON.stringify(messages)))))).toBe(
      1,
    );
    const { reference_compatible: sums } = await readResults(results);
    expect(sums).toEqual([
      {
        model: 'openai-compatible:odd',
        context: 'full',
        matcher: {
          evaluator: 'openai-compatible:panel',
          evaluator_form: 'evaluator',
          decomposer: 'openai-compatible:panel',
        },
        judge: 'openai-compatible:panel',
        // The decomposition of "2 consistent" failed.
        n_dropped: 1,
        inference: {
          // 2 + 4 + 1 (a match that failed in one direction: nothing matched in either) + 0 (an empty inference) + 2 (cut off, but
          // accepted).
          n_predicted: 9,
          n_predicted_matched: 2 + 1.5 + 0 + 0 + 1,
          n_true: 2 + 1 + 4 + 2 + 4,
          n_true_matched: 1.5 + 0 + 0 + 0 + 2,
          precision: 4.5 / 9,
          recall: 3.5 / 13,
          f1: f1(4.5 / 9, 3.5 / 13),
          n_instances: 5,
        },
        // 8.5 is 8, "8 out of 10" is 0, 85 is 85.
        generation: { average_score: (8 + 0 + 85 + 1 + 4) / 5, n_instances: 5 },
      },
    ]);
  });

  test('without it they are asked again, and then missing; only what can be read for certain is forgiven', async () => {
    const results = join(folder, 'truthful');
    const from = server.asked.length;
    expect(await evaluate(results, [server.spec('odd')], FIRST_SIX)).toMatchObject({ code: 3 });
    const asks = countsOf(
      server.asked.slice(from).map((asked) => `${stepIn(asked)} ${instanceIn(asked) ?? ''}`),
    );
    expect(Object.fromEntries(Object.entries(asks).filter(([, count]) => count > 2))).toEqual({
      'JUDGE 1 consistent': 10,
      'JUDGE 1 changing': 10,
      // The other direction once.
      'MATCH 1 changing': 11,
      'DECOMPOSE 2 consistent': 10,
      'INFER 2 contrastive': 10,
      'INFER 2 changing': 10,
    });
    const [inference, generation] = await cellsOf(results);
    expect(inference?.all.counts).toEqual({
      scored: 2,
      context_length: 0,
      missing: 4,
      open: 0,
      missing_counts: [
        { step: 'infer', kind: 'bad-answers', count: 2 },
        { step: 'decompose', kind: 'bad-answers', count: 1 },
        { step: 'match', kind: 'bad-answers', count: 1 },
      ],
    });
    expect(inference?.all.inference).toMatchObject(averages([3.5, 6], [1.5, 3]));
    expect(generation?.all.counts).toMatchObject({ scored: 4, missing: 2 });
    // "8 out of 10" is 8.
    expect(generation?.all.generation).toMatchObject({ average_score: (8 + 10 + 1 + 4) / 4, n_instances: 4 });
    expect(await readResults(results)).not.toHaveProperty('reference_compatible');
  });
});

const COMPLETE = { scored: 9, context_length: 0, missing: 0, open: 0, missing_counts: [] };

/** Computes the micro averages of the matched amounts over inferred and true entries. */
function averages(predicted: readonly [number, number], truth: readonly [number, number]) {
  const precision = predicted[0] / predicted[1];
  const recall = truth[0] / truth[1];
  return {
    n_predicted_matched: predicted[0],
    n_predicted: predicted[1],
    n_true_matched: truth[0],
    n_true: truth[1],
    precision,
    recall,
    f1: f1(precision, recall),
  };
}

function instances(): Instance[] {
  return ['1+baker', '2+clerk', '3+nurse'].flatMap((persona) =>
    INSTANCE_TYPES.map((type) => {
      const id = `${persona.charAt(0)} ${type}`;
      return {
        persona_id: persona,
        instance_type: type,
        current_request: `Request ${id}`,
        current_context_factor: 'Work',
        current_contextual_preference: `Preference ${id}`,
        current_checklist: entries('True', id, ANSWERS[id]?.[1] ?? ''),
        prior_interactions: [
          {
            context_factor: 'Work',
            contextual_preference: `Preference ${id}`,
            dialogue: [{ role: 'user', content: 'Hello.' }],
          },
        ],
      };
    }),
  );
}

/** Builds checklist entries that end in their label. */
function entries(kind: string, id: string, labels: string): string[] {
  return labels.split('').map((label, at) => `${kind} ${at + 1} of ${id}: ${label}`);
}

async function writePack(): Promise<void> {
  const prompts = {
    'synthesis/preference_decomposer': ['DECOMPOSE', '{preferences}'],
    'evaluation/preference_inferrer': ['INFER', '{interaction_log}\n{curr_request}'],
    'evaluation/preference_matcher': ['MATCH\n{examples}', '{preference}\n\n{checklist}'],
    'evaluation/preference_matcher_model': ['MATCH', '{preference}\n\n{checklist}'],
    'evaluation/response_generator': ['RESPOND', '{interaction_log}\n{curr_request}'],
    'evaluation/response_judger': ['JUDGE\n{preference}\n{checklist}', '{user_request}\n{ai_response}'],
  };
  for (const part of ['synthesis', 'evaluation']) await mkdir(join(pack, part), { recursive: true });
  for (const [name, [system, user]] of Object.entries(prompts)) {
    // JSON is valid YAML.
    await writeFile(join(pack, `${name}.yaml`), JSON.stringify({ system_prompt: system, user_prompt: user }));
  }
}

function stepIn({ messages }: Asked): string {
  return messages[0]?.content.split('\n')[0] ?? '';
}

function instanceIn({ messages }: Asked): string | undefined {
  return /\d (?:consistent|contrastive|changing)/.exec(messages[1]?.content ?? '')?.[0];
}

/** Scripts all models: the name and earlier answers in the prompt show which one is under test. */
function answer(asked: Asked): Scripted {
  const step = stepIn(asked);
  const id = instanceIn(asked) ?? '';
  const user = asked.messages[1]?.content ?? '';
  const by = /by (\w+)/.exec(user)?.[1] ?? asked.model;
  const [inferred, , score] = ANSWERS[id] ?? [];
  if (inferred === undefined) throw new Error(`No answer is written for: ${user}`);
  const odd = ODD[`${by} ${step} ${id}`];
  if (odd !== undefined && !(step === 'MATCH' && user.includes('True 1'))) return odd;
  if (step === 'INFER')
    return `### Analysis\n\nSo.\n\n### Most Likely Preference\n\nGuess by ${by} for ${id}`;
  if (step === 'RESPOND') return `Response by ${by}`;
  if (step === 'DECOMPOSE') return JSON.stringify({ checklist: entries(`Guess by ${by}`, id, inferred) });
  if (step === 'JUDGE') return `So.\n\n### Evaluation Score\n\n${score}`;
  const results = [...user.matchAll(/^(\d)\. (.*: (\w))$/gm)].map(([, index, entry, label = '']) => ({
    index: Number(index),
    entry,
    label: LABELS[label],
  }));
  return `\`\`\`json\n${JSON.stringify({ results })}\n\`\`\``;
}

const LABELS: Readonly<Record<string, string>> = {
  F: 'Fully Covered',
  P: 'Partially Covered',
  N: 'Not Covered',
};

const TOO_LONG = { status: 400, code: 'context_length_exceeded', message: 'The context is too long.' };

/** Odd answers, by model under test, step and instance. */
const ODD: Readonly<Record<string, Scripted>> = {
  'second INFER 3 changing': TOO_LONG,
  'second RESPOND 3 changing': TOO_LONG,
  'second DECOMPOSE 2 contrastive': 'There is nothing to take apart.',
  'second JUDGE 1 contrastive': 'So.\n\n### Evaluation Score\n\n8.5',
  'odd JUDGE 1 consistent': 'So.\n\n### Evaluation Score\n\n8.5',
  'odd JUDGE 1 contrastive': 'So.\n\n### Evaluation Score\n\n8 out of 10',
  'odd JUDGE 1 changing': 'So.\n\n### Evaluation Score\n\n85',
  // In the direction of the inferred checklist only.
  'odd MATCH 1 changing': 'I cannot say.',
  'odd DECOMPOSE 2 consistent': 'There is nothing to take apart.',
  'odd INFER 2 contrastive': 'It is that she likes things short.',
  'odd INFER 2 changing': {
    cut: '### Most Likely Preference\n\nGuess by odd for 2 changing\n\nAnd so on and so',
  },
};

async function evaluate(results: string, models: readonly string[], more: readonly string[] = []) {
  const ended = await runLoaded([
    'eval',
    `--results-dir=${results}`,
    `--data=${data}`,
    `--prompts=${pack}`,
    '--task=both',
    ...models.map((spec) => `--model=${spec}`),
    `--evaluator=${server.spec('panel')}`,
    ...more,
  ]);
  // Its output explains more than an unexpected exit code.
  if (ended.code === 1) throw new Error(ended.stderr);
  return ended;
}

async function cellsOf(results: string) {
  return (await readResults(results)).cells;
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Computes averages from labels; knows nothing of this project but the names of the columns and the values of labels. */
const RECOMPUTE = `
import json, sys
import duckdb, pyarrow.parquet

path = sys.argv[1]
worth = "CASE label WHEN 'Fully Covered' THEN 1.0::DOUBLE WHEN 'Partially Covered' THEN 0.5::DOUBLE ELSE 0.0::DOUBLE END"
duck = duckdb.sql(f"""
WITH rows AS (SELECT * FROM read_parquet('{path}') WHERE state IN ('scored', 'context-length')),
inferred AS (
  SELECT model, sum({worth}) / count(*) AS precision
  FROM (SELECT model, unnest(inferred_labels) AS label FROM rows WHERE task = 'inference') GROUP BY model),
truth AS (
  SELECT model, sum({worth}) AS matched
  FROM (SELECT model, unnest(true_labels) AS label FROM rows WHERE task = 'inference') GROUP BY model),
entries AS (SELECT model, sum(len(true_checklist)) AS n FROM rows WHERE task = 'inference' GROUP BY model),
scores AS (SELECT model, sum(score)::DOUBLE / count(*) AS score FROM rows WHERE task = 'generation' GROUP BY model),
averages AS (SELECT model, precision, matched / n AS recall, score
  FROM inferred JOIN truth USING (model) JOIN entries USING (model) JOIN scores USING (model))
SELECT model, precision, recall, 2 * precision * recall / (precision + recall), score FROM averages ORDER BY model
""").fetchall()

value = {"Fully Covered": 1.0, "Partially Covered": 0.5, "Not Covered": 0.0}
arrow = []
table = [row for row in pyarrow.parquet.read_table(path).to_pylist() if row["state"] in ("scored", "context-length")]
for model in sorted({row["model"] for row in table}):
    own = [row for row in table if row["model"] == model]
    inference = [row for row in own if row["task"] == "inference"]
    inferred = [label for row in inference for label in row["inferred_labels"] or []]
    truth = [label for row in inference for label in row["true_labels"] or []]
    precision = sum(value[label] for label in inferred) / len(inferred)
    recall = sum(value[label] for label in truth) / sum(len(row["true_checklist"]) for row in inference)
    scores = [row["score"] for row in own if row["task"] == "generation"]
    arrow.append([model, precision, recall, 2 * precision * recall / (precision + recall), sum(scores) / len(scores)])
print(json.dumps({"duckdb": duck, "pyarrow": arrow}))
`;
