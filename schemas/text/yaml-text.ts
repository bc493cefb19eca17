/**
 * Describes a problem of a YAML text on one line, for its author. The recursive parser reports deep nesting as a stack overflow, so that message
 * is replaced.
 */
export function describeYamlProblem(message: string): string {
  const [line = ''] = message.split('\n');
  const problem = line.replace(
    'Maximum call stack size exceeded',
    'Brackets or braces are nested too deeply',
  );
  // The message quotes names of the text, which may be of any length.
  return problem.length <= LONGEST ? problem : `${problem.slice(0, LONGEST)}…`;
}

const LONGEST = 500;
