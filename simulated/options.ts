import { z } from 'zod';

const FRACTION = 'must be a fraction from 0 to 1, for example 0.05';

const fraction = z
  .string()
  .regex(/^(?:\d+|\d*\.\d+)$/, FRACTION)
  .prefault('0')
  .transform(Number)
  .pipe(z.number().max(1, FRACTION));

const duration = z
  .string()
  .regex(/^\d+(?:\.\d+)?(?:ms|s)$/, 'must be a duration such as 200ms or 1.5s')
  .transform((text) => Number.parseFloat(text) * (text.endsWith('ms') ? 1 : 1000));

const simulatedOptionsSchema = z.strictObject({
  latency: duration.optional().transform((milliseconds) => milliseconds ?? 0),
  rate429: fraction,
  rate5xx: fraction,
  timeout: fraction,
  malformed: fraction,
  cutoff: fraction,
  refused: fraction,
  empty: fraction,
  fail: z.string().min(1, 'must not be empty').optional(),
  context: z
    .string()
    .regex(/^[1-9]\d*$/, 'must be a whole number of tokens, at least 1')
    .transform(Number)
    .optional(),
});

/** What a simulated model does beside answering; `latency` in milliseconds, `context` in tokens, the others but `fail` fractions of its requests. */
export type SimulatedOptions = z.infer<typeof simulatedOptionsSchema>;

/** What each option means, by its name. */
export const SIMULATED_OPTIONS: Readonly<Record<keyof SimulatedOptions, string>> = {
  latency: 'time that an answer takes, for example 200ms or 1.5s',
  rate429: 'fraction of requests rejected with a rate limit (429), 0 to 1',
  rate5xx: 'fraction of requests that fail because the server is unavailable',
  timeout: 'fraction of requests that time out',
  malformed: 'fraction of answers in a wrong format',
  cutoff: 'fraction of answers cut off at the token limit',
  refused: 'fraction of answers that refuse the request',
  empty: 'fraction of answers without text',
  fail: 'requests that contain this text never get a usable answer',
  context: 'maximum tokens of a prompt (four characters each); longer prompts are rejected as by a provider',
};

/**
 * Checks the options after `simulated:NAME?`.
 * @throws Error that names the option, what was expected, and all options there are.
 */
export function parseSimulatedOptions(options: Readonly<Record<string, string>>): SimulatedOptions {
  const parsed = simulatedOptionsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `there is no option ${issue.keys.join(', ')}`
      : `${issue.path.join('.')}=${options[String(issue.path[0])] ?? ''} ${issue.message}`,
  );
  const known = Object.entries(SIMULATED_OPTIONS).map(([name, meaning]) => `  ${name}: ${meaning}`);
  throw new Error(
    `Wrong options of the simulated model: ${problems.join('; ')}. Options, for example simulated:default?latency=200ms&malformed=0.05:\n${known.join('\n')}`,
  );
}
