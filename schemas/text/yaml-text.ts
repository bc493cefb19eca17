/**
 * What a YAML parser says of a text, for its author: on one line. Its parser calls itself for every level, and says so where a text
 * has thousands.
 */
export function describeYamlProblem(message: string): string {
  const [line = ''] = message.split('\n');
  const problem = line.replace(
    'Maximum call stack size exceeded',
    'Brackets or braces are nested too deeply',
  );
  // It quotes names of the text, which may be of any length.
  return problem.length <= LONGEST ? problem : `${problem.slice(0, LONGEST)}…`;
}

const LONGEST = 500;
