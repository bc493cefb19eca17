import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEvaluationResults } from '../../../../data/sets/results';
import { evaluationResultsSchema } from '../../../../schemas/evaluation/results';
import { verificationResultsSchema } from '../../../../schemas/verification/verification';
import { createTemporaryFolder } from '../../../temporary-folder';
import { listDamaged } from '../../damaged-fields';
import { buildFullResults } from '../../evaluation-results';
import { buildVerificationResults } from '../../verification-results';

const folder = createTemporaryFolder();

async function read(name: string, text: string) {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, 'results.json'), text);
  return readEvaluationResults(path);
}

/** Fields that a complete file may lack, because they have a value in some evaluations only. */
const OPTIONAL = [
  /^(?:counted_as_zero|memory|reference_compatible)$/,
  /^data\.(?:commit|simulated|earlier)$/,
  /^settings\.steps\.\w+\.(?:reasoningEffort|body)$/,
  /^cells\[\d+\]\.(?:evaluator_errors|shared_names|by_type\.\w+|setup\.(?:decomposer|matcher|judge))$/,
  /^analyses\.(?:shortcuts|error_types|labeled_errors|judge_reliability|repeated_scores|human_labels)$/,
  /^analyses\.(?:stress|stress_values|misapplication|missing_contrasts)$/,
  /^analyses\.shortcuts\[\d+\]\.guesses\.\w+$/,
];
/** Fields of requests in the form of their server. */
const FREE = /^settings\.steps\.\w+\.body\.\w+$/;

test('everything that an evaluation writes is read', async () => {
  const full = buildFullResults();
  const results = await read('full', JSON.stringify(full));
  expect(results).toEqual(full);
  const contexts = new Set(full.cells.map(({ task, context }) => `${task} ${context}`));
  expect(contexts.size).toBe(8 + 7 + 7);
  // Every field of the schema has a value here, so that the tests below damage each.
  expect(Object.keys(full).toSorted()).toEqual(Object.keys(evaluationResultsSchema.shape).toSorted());
  const { analyses } = evaluationResultsSchema.shape;
  expect(Object.keys(full.analyses).toSorted()).toEqual(Object.keys(analyses.shape).toSorted());
  expect(
    Object.entries(full.analyses).filter(([, part]) => Array.isArray(part) && part.length === 0),
  ).toEqual([]);
});

test('a field that is missing or of another type is named', () => {
  const damaged = listDamaged(evaluationResultsSchema, 'results.json', buildFullResults()).filter(
    ({ field, change }) =>
      !FREE.test(field) && (change === 'retyped' || !OPTIONAL.some((pattern) => pattern.test(field))),
  );
  expect(damaged.filter(({ field, problem }) => !isNamed('results.json', field, problem))).toEqual([]);
  expect(damaged.length).toBeGreaterThan(500);
});

test('the fields of a verification are named in the same way', () => {
  const damaged = listDamaged(verificationResultsSchema, 'verification.json', buildVerificationResults());
  expect(damaged.filter(({ field, problem }) => !isNamed('verification.json', field, problem))).toEqual([]);
});

function isNamed(file: string, field: string, problem: string | undefined): boolean {
  return problem?.startsWith(`${file}, field ${field}: expected `) === true;
}

test('the message has the path of the file and the remedy: of a copy without the stored answers, where they are', async () => {
  const full = buildFullResults();
  const text = JSON.stringify({ ...full, cells: [{ ...full.cells[0], all: undefined }] });
  const path = join(folder, 'damaged');
  await expect(read('damaged', text)).rejects.toThrow(
    `${join(path, 'results.json')}, field cells[0].all: expected an object, found nothing. ${path} lacks .cupid, which has the stored answers, so the results cannot be written again there. Run cupid eval --results-dir DIR --rescore where DIR is the folder of the evaluation, then copy all of DIR.`,
  );
  mkdirSync(join(path, '.cupid'));
  await expect(readEvaluationResults(path)).rejects.toThrow(
    `${join(path, 'results.json')}, field cells[0].all: expected an object, found nothing. Write the results again from the stored answers: cupid eval --results-dir ${path} --rescore`,
  );
});

test('fields of a later version are ignored', async () => {
  const full = buildFullResults();
  const analyses = { ...full.analyses, later: [1] };
  expect(await read('later', JSON.stringify({ ...full, later: { n: 1 }, analyses }))).toEqual(full);
});
