/** Formats an error for the user. All errors begin alike. */
export function formatError(message: string): string {
  return `cupid: ${message}`;
}

/** Formats what commander says about a wrong command line: the option or argument first, its wrong value once. */
export function formatUsageError(text: string): string {
  const message = text.replace(/^error: /, '');
  const { option, argument, value, problem } = (OPTION.exec(message) ?? ARGUMENT.exec(message))?.groups ?? {};
  if (problem === undefined) return formatError(message);
  // Most messages of the parsers quote the value themselves.
  const quotation = problem.startsWith('"') ? '' : ` "${value}"`;
  return formatError(`${option ?? `<${argument}>`}${quotation}: ${problem}`);
}

const OPTION =
  /^option '(?:-\w, )?(?<option>--[\w-]+)[^']*' argument '(?<value>.*?)' is invalid\. (?<problem>.*)$/s;
const ARGUMENT =
  /^command-argument value '(?<value>.*?)' is invalid for argument '(?<argument>[^']*)'\. (?<problem>.*)$/s;
