import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVALUATION_COLUMNS, VERIFICATION_COLUMNS } from '../../../../data/tables/columns';
import { writeParquet } from '../../../../data/tables/parquet';
import type { LeaderboardsView } from '../../../../pages/explore/answers';
import { writeBundle } from '../../../../pages/explore/bundle';
import { joinIds } from '../../../../pages/explore/columns';
import { ServedSnapshot } from '../../../../pages/explore/served-snapshot';
import { openSnapshot, type Snapshot } from '../../../../pages/explore/snapshot';
import type { EvaluationRow, ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildVerificationResults } from '../../verification-results';
import { markMissing } from '../../rules/analyses/rows';
import { buildResults, buildRows } from '../../runs/tables/results';
import { formatCell } from '../../../../schemas/text/table';

const folder = createTemporaryFolder();
const data = join(folder, 'data.jsonl');
const results = join(folder, 'results');
const verification = join(folder, 'verification');

const ROWS = buildRows();
/** The same with other scores: the best model becomes the worst one. */
const NEW_ROWS = ROWS.map((row) => ({
  ...row,
  f1: row.f1 === null ? null : 1 - row.f1,
  n_predicted_matched: row.n_predicted_matched === null ? null : 10 - row.n_predicted_matched,
  n_true_matched: row.n_true_matched === null ? null : 10 - row.n_true_matched,
}));

const TEXTS = {
  missing_cause: null,
  options: null,
  memory_context: null,
  inferred_preference: null,
  inferred_checklist: null,
  true_preference: '',
  true_checklist: [],
  current_request: '',
  response: null,
  analysis: null,
  answered_by: [],
  simulated: true,
} satisfies Partial<EvaluationRow>;

async function writeResults(rows: readonly ScoreRow[], path = results): Promise<void> {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'results.json'), JSON.stringify(buildResults(rows)));
  const wholeRows = rows.map((row) => ({ ...TEXTS, ...row }));
  await writeParquet(join(path, 'results.parquet'), EVALUATION_COLUMNS, wholeRows);
}

async function writeVerification(verifier: string): Promise<void> {
  const summary = { ...buildVerificationResults(), verifier };
  writeFileSync(join(verification, 'verification.json'), JSON.stringify(summary));
  await writeParquet(join(verification, 'verification.parquet'), VERIFICATION_COLUMNS, []);
}

function writeData(): void {
  const keys = new Map(ROWS.map((row) => [row.persona_id, row.instance_type]));
  const lines = [...keys].map(([persona_id, instance_type]) =>
    JSON.stringify({
      persona_id,
      instance_type,
      current_request: `A request of ${persona_id}`,
      current_context_factor: 'Lesson',
      current_contextual_preference: 'Answers must be short.',
      current_checklist: ['Is the answer short?'],
      prior_interactions: [
        {
          context_factor: 'Lesson',
          contextual_preference: 'Answers must be short.',
          dialogue: ['user', 'assistant'].map((role) => ({ role, content: 'Short.' })),
        },
      ],
    }),
  );
  writeFileSync(data, `${lines.join('\n')}\n`);
}

async function untilRead({ index }: Snapshot): Promise<void> {
  await index.waitFor(Infinity);
}

/** Reads the columns of results folders, each with its id, in one order. */
async function readIds(...names: readonly string[]): Promise<(readonly [column: string, id: string])[]> {
  const snapshot = await openSnapshot([data, ...names], { report: () => undefined, environment: {} });
  await untilRead(snapshot);
  const { columns } = snapshot.index.results;
  await snapshot.close();
  return columns
    .map(({ id, number: _number, ...column }) => [JSON.stringify(column), id] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Asks for everything that the page shows, but instances with their texts. */
async function readAnswers(snapshot: Snapshot) {
  const answers = await Promise.all(
    Object.entries(snapshot.whole).map(async ([name, read]) => [name, await read()] as const),
  );
  const [first, second] = snapshot.index.results.columns;
  if (first === undefined || second === undefined) throw new Error('There are no two columns.');
  return {
    ...Object.fromEntries(answers),
    list: await snapshot.list({ columns: joinIds([second, first]), sort: 'disagreement' }),
  };
}

/** Returns the model of each row of a leaderboard, the best one first, and its wins. */
function listWins({ boards: [leaderboard] }: LeaderboardsView): (readonly (string | undefined)[])[] {
  const board = leaderboard?.table;
  const wins = board?.columns.findIndex(({ title }) => title === 'wins') ?? -1;
  return (board?.rows ?? []).map(({ name, cells }) => [name, formatCell(cells[wins] ?? '')]);
}

test('all answers are of one state until the new one is opened, however files change meanwhile', async () => {
  writeData();
  await writeResults(ROWS);
  mkdirSync(verification);
  await writeVerification('openai:old');
  const served = await ServedSnapshot.open(() =>
    openSnapshot([data, results, verification], { report: () => undefined, environment: {} }),
  );
  const before = served.current;
  await untilRead(before);
  const answers = await readAnswers(before);
  expect(await before.readState()).toMatchObject({ hasChanged: false, problems: [] });
  expect(await before.findView('0+teacher', 'consistent')).toMatchObject({ results: { length: 9 } });
  const wins = listWins(await before.whole.leaderboards());
  expect(wins).toHaveLength(3);

  await writeResults(NEW_ROWS);
  await writeVerification('openai:new');
  expect(await readAnswers(before)).toEqual(answers);
  expect((await before.readState()).hasChanged).toBe(true);
  await expect(before.findView('0+teacher', 'consistent')).rejects.toThrow(
    'results.parquet has changed since this page was opened',
  );

  await served.replace(before.name);
  const after = served.current;
  await untilRead(after);
  expect(after.name).not.toBe(before.name);
  expect((await after.readState()).hasChanged).toBe(false);
  // Numbers, wins and verdicts are all of the new state.
  const newWins = listWins(await after.whole.leaderboards());
  expect(newWins.map(([model]) => model)).toEqual(wins.map(([model]) => model).toReversed());
  expect(newWins).not.toEqual(wins.toReversed());
  expect((await after.whole.summary()).tables.map(({ title }) => title)).toEqual(['Verdicts of openai:new']);
  expect(await after.findView('0+teacher', 'consistent')).toMatchObject({ results: { length: 9 } });

  // Another page of the earlier state opens no third one.
  await served.replace(before.name);
  expect(served.current).toBe(after);
  await served.close();
});

test('the same results have the same name in addresses in every order of their folders', async () => {
  writeData();
  await writeResults(ROWS);
  const otherResults = join(folder, 'other results');
  // These share the cells of the first model with the others.
  const [first] = ROWS;
  const otherRows = ROWS.map((row) => (row.model === first?.model ? row : { ...row, model: 'openai:other' }));
  await writeResults(otherRows, otherResults);
  const ids = await readIds(results, otherResults);
  expect(await readIds(otherResults, results)).toEqual(ids);
  expect(new Set(ids.map(([, id]) => id)).size).toBe(ids.length);
  // A cell that only one folder has keeps its name without the others.
  const chooseModel = (named: typeof ids) => named.filter(([column]) => column.includes('"simulated:b"'));
  expect(chooseModel(ids)).toHaveLength(3);
  expect(chooseModel(await readIds(results))).toEqual(chooseModel(ids));
});

test('counts that all models share are a line, but those that lead to their instances', async () => {
  writeData();
  const [first] = ROWS;
  await writeResults(ROWS.map((row) => (row.persona_id === first?.persona_id ? markMissing(row) : row)));
  const snapshot = await openSnapshot([data, results], { report: () => undefined, environment: {} });
  await untilRead(snapshot);
  const [board] = (await snapshot.whole.leaderboards()).boards;
  expect(board?.table.lines).toContain('The same in all rows: context full; scored 11');
  const column = board?.table.columns.findIndex(({ title }) => title === 'missing') ?? -1;
  const missing = board?.table.rows.map(({ cells }) => cells[column]);
  expect(missing).toHaveLength(3);
  for (const cell of missing ?? [])
    expect(cell).toMatchObject({ value: 1, link: { columns: expect.any(String), failure: 'missing' } });
  await snapshot.close();
});

test('no bundle is written of files that change meanwhile', async () => {
  writeData();
  await writeResults(ROWS);
  const bundle = join(folder, 'bundle');
  const writing = writeBundle([data, results], bundle, {
    report: () => undefined,
    environment: {},
    // After an instance was written.
    progress: () => writeFileSync(join(results, 'results.json'), JSON.stringify(buildResults(NEW_ROWS))),
  });
  await expect(writing).rejects.toThrow('changed while the bundle was written');
  expect(existsSync(bundle)).toBe(false);
});
