import { KEY_VARIABLES } from '../../schemas/model/provider';

/** The environment of a memory system's program. */
interface ProgramEnvironment {
  readonly variables: NodeJS.ProcessEnv;
  /** Names of the keys that it does not receive. */
  readonly withheldKeys: readonly string[];
}

/** Names the keys, separated by spaces or commas, that the program receives although cupid uses them itself. */
export const PASSED_KEYS = 'CUPID_MEMORY_KEYS';

/**
 * Builds the environment of a memory system's program: everything but the keys that cupid itself uses, which it receives only if the user names
 * them. The user's environment decides, because a folder from somebody else must not.
 */
export function buildProgramEnvironment(environment: NodeJS.ProcessEnv): ProgramEnvironment {
  const passedKeys = new Set((environment[PASSED_KEYS] ?? '').split(/[\s,]+/));
  const withheldKeys = Object.keys(environment).filter((name) => isKey(name) && !passedKeys.has(name));
  const variables = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !withheldKeys.includes(name)),
  );
  // Otherwise what a Python program writes to a pipe would wait until it ends.
  return { variables: { PYTHONUNBUFFERED: '1', ...variables }, withheldKeys };
}

function isKey(name: string): boolean {
  return OWN_KEYS.has(name) || EXPORTER_HEADERS.test(name);
}

/** Variables with keys that cupid reads: those of providers, of AWS, of the Hub and of a Temporal cluster. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  ...Object.values(KEY_VARIABLES).flat(),
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'HF_TOKEN',
  'HUGGING_FACE_HUB_TOKEN',
  'TEMPORAL_API_KEY',
]);

/** Headers of OpenTelemetry's exporters, in which services expect their keys. */
const EXPORTER_HEADERS = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/;
