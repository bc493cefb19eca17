import { addConsents, readConsents } from '../../data/run/consents';
import { InputError } from '../../schemas/input-error';
import { parseModelSpec, type ModelSpec } from '../../schemas/model/model-spec';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Models of a command, by who named them. */
interface ConsentRequest {
  /** Run folder, which may not exist yet. */
  readonly folder: string;
  /** SPECs of all models of the run. */
  readonly models: readonly string[];
  /** SPECs that this command calls. */
  readonly asked: readonly string[];
  /** SPECs on its command line: naming a model is consenting to it. */
  readonly named: readonly string[];
  /** True with `--trust`: the user consents to every model of the run. */
  readonly trust: boolean;
  /** Command with `--trust` for the user to repeat. */
  readonly trustCommand: string;
}

/**
 * Checks that the user has consented to every model that runs code or receives a key, and records the consent of this command. A run folder
 * may come from somebody else, and its models with it.
 * @returns the SPECs that may be called, including those that need no consent
 * @throws InputError that names each model without consent, what it would do, and the command that gives consent
 */
export async function checkConsent(
  { folder, models, asked, named, trust, trustCommand }: ConsentRequest,
  report: (line: string) => void,
): Promise<ReadonlySet<string>> {
  const risks = new Map(
    [...models, ...asked].map((spec) => [spec, findRisk(parseModelSpec(spec), process.cwd())]),
  );
  const targets = new Set(await readConsents(folder, process.env));
  const isGiven = (spec: string) => trust || named.includes(spec);
  const isAllowed = (spec: string, risk: ModelRisk | undefined) =>
    risk === undefined || targets.has(risk.target) || isGiven(spec);

  const missing = [...new Set(asked)].flatMap((spec) => {
    const risk = risks.get(spec);
    return risk === undefined || isAllowed(spec, risk) ? [] : [`- ${spec} ${risk.effect}`];
  });
  if (missing.length > 0) throw new InputError(formatRefusal(folder, missing, trustCommand));

  const newTargets = [...risks].flatMap(([spec, risk]) =>
    risk !== undefined && isGiven(spec) ? [risk.target] : [],
  );
  await addConsents(folder, newTargets, process.env).catch((error: unknown) => {
    report(
      `Your consent to the models of ${folder} could not be stored, so later commands on it need --trust: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  return new Set([...risks].flatMap(([spec, risk]) => (isAllowed(spec, risk) ? [spec] : [])));
}

function formatRefusal(folder: string, missing: readonly string[], trustCommand: string): string {
  return [
    `The run in ${folder} names models that need your consent, because a run folder may come from someone else:`,
    ...missing,
    `If you trust them, run: ${trustCommand}`,
    'Your consent is stored for this folder and these models.',
  ].join('\n');
}

/** A risk of calling a model that is not at its provider's own address. */
interface ModelRisk {
  /** URL of the code that runs, or of the server that receives the key. */
  readonly target: string;
  /** Predicate of a message whose subject is the SPEC. */
  readonly effect: string;
}

/**
 * Finds the risk that a user must consent to if someone else may have named the model; undefined for simulated models and for providers at
 * their own address. A local server is no exception: any process that listens on its port receives the key.
 * @param directory base of a module's relative path
 */
function findRisk({ provider, model, url }: ModelSpec, directory: string): ModelRisk | undefined {
  if (provider === 'module') {
    const file = resolveRealPath(resolve(directory, model));
    return { target: pathToFileURL(file).href, effect: `runs the code in ${file}` };
  }
  if (provider === 'memory') return findMemoryRisk(model, directory);
  if (provider !== 'openai-compatible' || url === undefined) return undefined;
  return {
    target: url,
    effect: `sends the prompts, and OPENAI_COMPATIBLE_API_KEY if it is set, to ${new URL(url).host}`,
  };
}

function findMemoryRisk(adapter: string, directory: string): ModelRisk {
  if (/^https?:/.test(adapter)) {
    return { target: adapter, effect: `sends the sessions of the data to ${new URL(adapter).host}` };
  }
  if (adapter.startsWith('module:')) {
    const file = resolveRealPath(resolve(directory, adapter.slice('module:'.length)));
    return { target: pathToFileURL(file).href, effect: `runs the code in ${file}` };
  }
  const command = adapter.slice('command:'.length);
  return { target: `command:${directory}:${command}`, effect: `runs "${command}" in ${directory}` };
}

function resolveRealPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // The call of the model reports a missing file.
    return file;
  }
}
