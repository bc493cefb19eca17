import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../schemas/text/issues';
import { matcherExampleSchema, type MatcherExample } from '../../schemas/run/prompts';
import { EXAMPLES_FILE } from './files';
import { readFirstFile } from './pack-file';

interface MatcherExamplesReading {
  /** Absent if there are problems. */
  readonly examples?: readonly MatcherExample[];
  /** One sentence each, with file, place and remedy. */
  readonly problems: readonly string[];
}

/** Reads and checks the matcher's worked examples, from the first folder that has the file. */
export async function readMatcherExamples(folders: readonly string[]): Promise<MatcherExamplesReading> {
  const file = await readFirstFile(folders, [EXAMPLES_FILE]);
  if (file === 'absent') {
    return {
      problems: [`${path.join(folders[0] ?? '', EXAMPLES_FILE)}: no such file. Write ${FORM} into it.`],
    };
  }
  if ('problem' in file) return { problems: [file.problem] };
  const { value, problem } = parseJson(z.array(matcherExampleSchema).min(1), file.path, file.text);
  if (problem === undefined) return { examples: value, problems: [] };
  return { problems: problem.split('\n').map((line) => `${line} The form is ${FORM}.`) };
}

const FORM = '[{"preference": "…", "checklist": [{"entry": "…", "label": "Fully Covered"}]}]';
