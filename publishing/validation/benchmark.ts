import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readParsedRows } from '../../data/readers/parquet-table';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/store/data-error';
import { hasFile } from '../../data/folders/folder';
import type { ChoiceQuestions } from '../../rules/choice/questions';
import { choiceQuestionSchema, isOfTask } from '../../schemas/dataset/benchmark';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import type { Problem } from './findings';

/** Finds the questions of a folder that its card describes as a benchmark, with histories of each length. */
export async function findChoices({ card, cardName, commit }: DataSet): Promise<string[]> {
  if (commit !== undefined || cardName === undefined) return [];
  const paths: string[] = [];
  for (const file of card?.files ?? []) {
    const path = join(dirname(cardName), file);
    if (isOfTask('choice', file) && (await hasFile(path))) paths.push(path);
  }
  return paths;
}

/** Lists the problems of questions that differ from those of the instances. */
export async function validateChoices(path: string, questions: ChoiceQuestions): Promise<Problem[]> {
  const expected = new Map(questions.end());
  const problems: Problem[] = [];
  try {
    for await (const { number, row } of readParsedRows(path, rowSchema, REMEDY)) {
      const { choices, answer, ...key } = row;
      const question = expected.get(buildInstanceKey(key));
      expected.delete(buildInstanceKey(key));
      if (isDeepStrictEqual(question, { choices, answer })) continue;
      problems.push({ rule: RULE, row: number, ...key, message: `differs from the instance. ${REMEDY}` });
    }
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return [{ rule: RULE, message: error.message }];
  }
  for (const key of expected.keys()) {
    const [persona_id = '', instance_type = ''] = key.split('\u0000');
    problems.push({ rule: RULE, persona_id, instance_type, message: `the question is missing. ${REMEDY}` });
  }
  return problems;
}

const rowSchema = choiceQuestionSchema.omit({ input: true });

const RULE = 'benchmark-of-data';

const REMEDY = 'Publish the data set with cupid publish --benchmark, which writes the questions again.';
