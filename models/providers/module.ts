import { statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { describeIssues } from '../../schemas/text/issues';
import type { Message } from '../../schemas/dataset/message';
import { formatModelName, type ModelSpec } from '../../schemas/model/model-spec';
import { usageSchema } from '../../schemas/model/usage';
import { createSend } from '../call';
import { ModelError } from '../errors/error';
import { MODEL_ERROR_KINDS } from '../../schemas/model/error-kind';
import { WireFailure } from '../errors/failure';
import { redactUrls } from '../errors/redact';
import type { ModelAnswer, ModelRequest } from '../model';
import type { Send, SentParameters } from '../parameters';
import { omitUndefined } from '../../schemas/omit-undefined';

/** The request to a module's function: the same as to any provider, without anything that would reveal a benchmark. */
interface ModuleRequest {
  /** May be empty. */
  readonly system: string;
  readonly messages: readonly Message[];
  /** Absent: the model's own. */
  readonly temperature?: number;
  readonly maxTokens: number;
  /** Absent: the model's own. */
  readonly reasoningEffort?: string;
  /** Further fields of the step's settings. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The answer's text alone, or with further facts. */
const moduleAnswerSchema = z.strictObject({
  text: z.string(),
  /** The model that answered, if it is not the module itself. */
  model: z.string().min(1).optional(),
  usage: z.strictObject(usageSchema.shape).optional(),
  finish: z.enum(['complete', 'length', 'refused']).optional(),
});

/** The default export of a module. */
type ModuleFunction = (input: object) => unknown;

/**
 * Opens a user's own model: a file, relative to the current directory, whose default export answers requests. It is loaded once, at the first
 * call.
 *
 * An error of the function is classified by its `kind` (one of MODEL_ERROR_KINDS), else by its HTTP `status`, which errors of SDKs have. Its
 * `retryAfterMs` applies. Any other error is thrown on as unexpected.
 * @throws ModelError `unknown-model` when there is no such file; `bad-request` when it does not load, has no such function, or answers in another
 * form
 */
export function open(spec: ModelSpec, _environment: NodeJS.ProcessEnv, timeoutMs: number): Send {
  const name = formatModuleName(spec);
  const ask = openFunction(spec, process.cwd(), createModuleError, MODEL_EXAMPLE);
  const caller = { spec: name, keyHint: `the key that ${name} sends`, secrets: [] };
  return createSend(caller, timeoutMs, async (request, parameters, signal) => {
    return answerOf(await ask(buildModuleRequest(request, parameters, signal)), name);
  });
}

/**
 * Returns the function that a file exports by default. It is loaded at the first call.
 * @param createError makes the error that is thrown for one of the function
 * @param example a default export, for a file without one
 * @throws ModelError when it cannot be loaded
 */
export function openFunction(
  spec: ModelSpec,
  folder: string,
  createError: (thrown: ThrownError) => Error,
  example: string,
): (input: object) => Promise<unknown> {
  let loading: Promise<ModuleFunction> | undefined;
  return async (input) => {
    loading ??= load(spec, folder, example);
    const ask = await loading;
    try {
      return await ask(input);
    } catch (error) {
      throw createError(describeThrown(error, spec, folder));
    }
  };
}

/** An error that a module threw, without secrets and the paths of this machine. */
export interface ThrownError extends z.infer<typeof classificationSchema> {
  /** Name of the module. */
  readonly name: string;
  readonly message: string;
  readonly cause: Error;
}

/** Explains why a module cannot be asked, without running it; undefined if its file exists. */
export function findModuleProblem({ model }: ModelSpec, folder: string): string | undefined {
  if (statSync(resolve(folder, model), { throwIfNoEntry: false })?.isFile() === true) return undefined;
  return `There is no file ${model}. Write a path relative to the current directory, or an absolute one.`;
}

/** Returns the module's name for messages and data: without its folders, which belong to this machine. */
function formatModuleName(spec: ModelSpec): string {
  return formatModelName(`module:${spec.model}`);
}

async function load(spec: ModelSpec, folder: string, example: string): Promise<ModuleFunction> {
  const problem = findModuleProblem(spec, folder);
  if (problem !== undefined) throw new ModelError('unknown-model', `${formatModuleName(spec)}: ${problem}`);
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(resolve(folder, spec.model)).href);
  } catch (error) {
    throw new ModelError(
      'bad-request',
      `${formatModuleName(spec)} could not be loaded: ${describeError(error, spec, folder).replace(/\.$/, '')}. ${formatLoadingHint(error)}`,
      undefined,
      { cause: buildPublicCause(error, spec, folder) },
    );
  }
  const ask = findFunction(loaded);
  if (ask === undefined) {
    throw new ModelError(
      'bad-request',
      `${formatModuleName(spec)} has no default export that is a function. Write, for example, ${example}.`,
    );
  }
  return ask;
}

const MODEL_EXAMPLE = "export default async ({ system, messages }) => '…'";

function formatLoadingHint(error: unknown): string {
  return getProperty(error, 'code') === 'ERR_UNKNOWN_FILE_EXTENSION'
    ? 'Node.js loads .mjs, .js and .cjs files. For .ts, install tsx and run the command with NODE_OPTIONS="--import tsx".'
    : 'Run the file with node to see the line.';
}

/** Finds the default export. A CommonJS module compiled from an ES module has it one level down. */
function findFunction(loaded: unknown): ModuleFunction | undefined {
  const exported = getProperty(loaded, 'default');
  return [exported, getProperty(exported, 'default')].find(isFunction);
}

function isFunction(value: unknown): value is ModuleFunction {
  return typeof value === 'function';
}

function getProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Copies the request, so that a module that changes it affects no other request. */
function buildModuleRequest(
  request: ModelRequest,
  { temperature, tokenLimit, effort }: SentParameters,
  signal: AbortSignal,
): ModuleRequest {
  const { system, seed, body } = request;
  const messages = request.messages.map(({ role, content }) => ({ role, content }));
  const parameters = { temperature, maxTokens: tokenLimit, reasoningEffort: effort };
  return omitUndefined({ system, messages, ...parameters, seed, body, signal });
}

function describeThrown(error: unknown, spec: ModelSpec, folder: string): ThrownError {
  return {
    ...classificationSchema.parse(error),
    name: formatModuleName(spec),
    message: describeError(error, spec, folder),
    cause: buildPublicCause(error, spec, folder),
  };
}

/** Converts an error that a module threw to an error of this program. */
function createModuleError({ kind, status, retryAfterMs, name, message, cause }: ThrownError): Error {
  if (kind !== undefined) return new ModelError(kind, `${name}: ${message}`, retryAfterMs, { cause });
  if (status === undefined) return new Error(`${name} failed: ${message}`, { cause });
  return new WireFailure(omitUndefined({ status, labels: [], message, retryAfterMs }));
}

/** The classification in a thrown value; properties of another type are ignored. */
const classificationSchema = z
  .object({
    kind: z.enum(MODEL_ERROR_KINDS).optional().catch(undefined),
    status: z.number().int().min(400).max(599).optional().catch(undefined),
    retryAfterMs: z.number().nonnegative().optional().catch(undefined),
  })
  .catch({});

/** Returns an error's name and message. */
function describeError(error: unknown, spec: ModelSpec, folder: string): string {
  return redactPaths(
    error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    spec,
    folder,
  );
}

/** Builds a cause that may be recorded, because causes are stored in workflow histories, with their stacks. */
function buildPublicCause(error: unknown, spec: ModelSpec, folder: string): Error {
  const cause = new Error(describeError(error, spec, folder));
  if (error instanceof Error) cause.stack = redactPaths(error.stack ?? '', spec, folder);
  return cause;
}

/** Removes secrets in URLs and the paths of this machine, so that the text may be recorded. */
function redactPaths(text: string, { model }: ModelSpec, folder: string): string {
  return [dirname(resolve(folder, model)), folder].reduce(
    (redactedText, place) =>
      redactedText.replaceAll(`${pathToFileURL(place).href}/`, './').replaceAll(`${place}${sep}`, `.${sep}`),
    redactUrls(text),
  );
}

function answerOf(value: unknown, name: string): ModelAnswer {
  const parsed = moduleAnswerSchema.safeParse(typeof value === 'string' ? { text: value } : value);
  if (!parsed.success) {
    throw new ModelError(
      'bad-request',
      `${name} returned an invalid answer. ${describeIssues('Answer', parsed.error, value)}\nReturn a string, or an object with text and, if known, model, usage and finish.`,
    );
  }
  const { text, model, usage, finish } = parsed.data;
  return { text, finish: finish ?? 'complete', model: model ?? name, usage: usage ?? {} };
}
