import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { createEmptiedFolder } from '../../../temporary-folder';
import { compileModule } from '../../../compile-module';
import { MODEL_ERROR_KINDS } from '../../../../schemas/model/error-kind';
import type { ModelRequest } from '../../../../models/model';
import { checkProvider } from '../../../../models/check-provider';
import { renderInteractionLog } from '../../../../data/prompts/evaluation-values';
import { loadPromptPack } from '../../../../data/prompts/load';
import { renderPrompt } from '../../../../data/prompts/render';
import { checkInference } from '../../../../rules/answers/evaluation/inference';
import type { PriorInteraction } from '../../../../schemas/dataset/instance';
import { formatModelName, parseModelSpec } from '../../../../schemas/model/model-spec';

const ROOT = join(__dirname, '../../../..');

const folder = createEmptiedFolder();

const REQUEST: ModelRequest = {
  step: 'infer',
  values: { curr_request: 'Plan my day.' },
  form: 'prompt',
  system: 'Infer.',
  messages: [{ role: 'user', content: 'Plan my day.' }],
  temperature: 0,
  maxTokens: 8192,
  attempt: 2,
  seed: 17,
};

/**
 * Script that asks a model from compiled code in a process of its own, started in the modules' folder. Jest cannot import ES modules as
 * Node does. The last line is the result; a module may print before it.
 */
const ASK = `
const [text, requests, timeoutMs, abort] = process.argv.slice(1);
const { openModel } = require(${JSON.stringify(compileModule('models/open.ts'))});
const { parseModelSpec } = require(${JSON.stringify(compileModule('schemas/model/model-spec.ts'))});
(async () => {
  const model = await openModel(parseModelSpec(text), process.env, { timeoutMs: Number(timeoutMs) });
  const outcomes = [];
  for (const request of JSON.parse(requests)) {
    const leaving = new AbortController();
    if (abort === 'abort') setImmediate(() => leaving.abort(new Error('the worker shuts down')));
    try {
      outcomes.push({ answer: await model.ask(request, leaving.signal) });
    } catch (error) {
      const { name, kind, message, isRetryable, retryAfterMs, cause } = error;
      outcomes.push({ error: { name, kind, message, isRetryable, retryAfterMs, caused: cause !== undefined } });
    }
  }
  process.stdout.write('\\n' + JSON.stringify(outcomes));
  process.exit();
})();
`;

const outcomesSchema = z.array(
  z.strictObject({
    answer: z.unknown().optional(),
    error: z
      .strictObject({
        name: z.string(),
        kind: z.string().optional(),
        message: z.string(),
        isRetryable: z.boolean().optional(),
        retryAfterMs: z.number().optional(),
        caused: z.boolean(),
      })
      .optional(),
  }),
);
type Outcome = z.infer<typeof outcomesSchema>[number];

async function askedOf(
  path: string,
  options: {
    requests?: ModelRequest[];
    timeoutMs?: number;
    abort?: true;
    node?: string[];
    from?: string;
  } = {},
): Promise<Outcome[]> {
  const { requests = [REQUEST], timeoutMs = 30_000, abort, node = [], from = folder } = options;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...node, '-e', ASK, `module:${path}`, JSON.stringify(requests), String(timeoutMs), abort ? 'abort' : ''],
    { cwd: from },
  );
  return outcomesSchema.parse(JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))));
}

async function outcomeOf(code: string, options: { timeoutMs?: number; abort?: true } = {}): Promise<Outcome> {
  await writeFile(join(folder, 'mine.mjs'), code);
  const [outcome] = await askedOf('./mine.mjs', options);
  return outcome ?? {};
}

describe('a module', () => {
  test('is asked what any provider is asked, and nothing that reveals the step', async () => {
    const { answer } = await outcomeOf(
      'export default async (request) => JSON.stringify({ ...request, signal: request.signal.aborted });',
    );
    expect(answer).toMatchObject({ finish: 'complete', model: 'module:mine.mjs', usage: {} });
    expect(JSON.parse(z.object({ text: z.string() }).parse(answer).text)).toEqual({
      system: 'Infer.',
      messages: [{ role: 'user', content: 'Plan my day.' }],
      temperature: 0,
      maxTokens: 8192,
      seed: 17,
      signal: false,
    });
  });

  test('may report what answered, the tokens and how the answer ended', async () => {
    const { answer } = await outcomeOf(
      "export default () => ({ text: ' so ', model: 'mine-2', usage: { input: 3, output: 5 }, finish: 'length' });",
    );
    expect(answer).toEqual({
      text: ' so ',
      model: 'mine-2',
      usage: { input: 3, output: 5 },
      finish: 'length',
    });
  });

  test.each([
    ['CommonJS', 'mine.cjs', "module.exports = () => 'so';"],
    [
      'CommonJS compiled from an ES module',
      'mine.cjs',
      "exports.__esModule = true; exports.default = () => 'so';",
    ],
    ['a path with blanks, % and #', 'my 100% #1.mjs', "export default () => 'so';"],
  ])('may be %s', async (_what, file, code) => {
    await writeFile(join(folder, file), code);
    expect(await askedOf(file)).toEqual([{ answer: expect.objectContaining({ text: 'so' }) }]);
  });

  test('may be TypeScript, when Node was started with a loader', async () => {
    await writeFile(
      join(folder, 'mine.ts'),
      'const text: string = "typed"; export default (): string => text;',
    );
    await writeFile(join(folder, 'register.mjs'), LOADER);
    const node = ['--import', pathToFileURL(join(folder, 'register.mjs')).href];
    expect(await askedOf('mine.ts', { node })).toEqual([
      { answer: expect.objectContaining({ text: 'typed', model: 'module:mine.ts' }) },
    ]);
  });

  test('is loaded once, when it is first asked', async () => {
    await writeFile(
      join(folder, 'mine.mjs'),
      `import { rm } from 'node:fs/promises';
       let calls = 0;
       await rm(import.meta.filename);
       export default () => String((calls += 1));`,
    );
    const outcomes = await askedOf('mine.mjs', { requests: [REQUEST, REQUEST] });
    expect(outcomes.map(({ answer }) => answer)).toMatchObject([{ text: '1' }, { text: '2' }]);
  });

  test('that does not answer in time is a timeout, and its signal is aborted', async () => {
    await writeFile(
      join(folder, 'mine.mjs'),
      `let aborted = false;
       export default ({ seed, signal }) => {
         if (seed === 1) return String(aborted);
         signal.addEventListener('abort', () => { aborted = true; });
         return new Promise(() => {});
       };`,
    );
    const requests = [
      { ...REQUEST, seed: 0 },
      { ...REQUEST, seed: 1 },
    ];
    // Loaded before it is asked: that takes as long as it takes.
    const node = ['--import', pathToFileURL(join(folder, 'mine.mjs')).href];
    const [first, second] = await askedOf('mine.mjs', { requests, timeoutMs: 500, node });
    expect(first?.error).toMatchObject({ kind: 'timeout', isRetryable: true });
    expect(second?.answer).toMatchObject({ text: 'true' });
  });

  test('is given up when the worker leaves, with its reason, whatever it throws itself', async () => {
    const { error } = await outcomeOf(
      `export default ({ signal }) => new Promise((_, reject) => {
         setInterval(() => {}, 1000);
         signal.addEventListener('abort', () => reject(new Error('mine')));
       });`,
      { abort: true },
    );
    expect(error).toMatchObject({ name: 'Error', message: 'the worker shuts down' });
  });
});

/** A stand-in for tsx: any loader that Node takes. */
const LOADER = `
import { createRequire, register } from 'node:module';
const hooks = \`
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
const { transformSync } = createRequire(\${JSON.stringify(${JSON.stringify(join(ROOT, 'package.json'))})})('@swc/core');
export function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), { jsc: { parser: { syntax: 'typescript' } } });
  return { format: 'module', source: code, shortCircuit: true };
}\`;
register('data:text/javascript,' + encodeURIComponent(hooks));
`;

describe('what is wrong with a module is a failure that no waiting fixes, named by its file, without its folders', () => {
  test('no such file; nor is a folder one', async () => {
    await mkdir(join(folder, 'models'));
    for (const path of ['./none.mjs', './models']) {
      const [outcome] = await askedOf(path);
      expect(outcome?.error).toMatchObject({ kind: 'unknown-model', isRetryable: false });
      expect(outcome?.error?.message).toMatch(
        /^module:(none\.mjs|models): There is no file \.\/(none|models)/,
      );
    }
  });

  test.each([
    ['a syntax error', 'export default = ;', ['Unexpected token', 'Run the file with node']],
    ['an error at load', "throw new RangeError('no weights');", ['RangeError: no weights. Run']],
    [
      'a package that is not there',
      "import 'no-such-package-at-all'; export default () => 'so';",
      ["Cannot find package 'no-such-package-at-all'", './mine.mjs'],
    ],
    ['no default export', "export const ask = () => 'so';", ['no default export that is a function']],
    ['a default export that is no function', 'export default 7;', ['export default async']],
    ['no answer', 'export default () => {};', ['invalid answer', 'expected an object, found nothing']],
    [
      'an object that contains itself',
      'const text = {}; text.text = text; export default () => ({ text });',
      ['field text: expected a text, found a value of type object'],
    ],
    ['a number', 'export default () => 7;', ['expected an object, found 7', 'Return a string']],
    [
      'an answer without a text',
      "export default () => ({ answer: 'so' });",
      ['field text: expected a text, found nothing', 'unknown key "answer"'],
    ],
    [
      'a misspelt field',
      "export default () => ({ text: 'so', finish_reason: 'length' });",
      ['"finish_reason"'],
    ],
    [
      'an ending that is none',
      "export default () => ({ text: 'so', finish: 'stop' });",
      ['field finish: expected one of "complete", "length", "refused", found "stop"'],
    ],
    [
      'tokens by other names',
      "export default () => ({ text: 'so', usage: { input_tokens: 3 } });",
      ['"input_tokens"'],
    ],
  ])('%s', async (_what, code, parts) => {
    const { error } = await outcomeOf(code);
    expect(error).toMatchObject({ name: 'ModelError', kind: 'bad-request', isRetryable: false });
    expect(error?.message).toMatch(/^module:mine\.mjs /);
    for (const part of parts) expect(error?.message).toContain(part);
    expect(error?.message).not.toContain(folder);
  });

  test('where it lies elsewhere, its folder is not revealed either', async () => {
    const path = join(folder, 'mine.mjs');
    await writeFile(path, "import './none.mjs';");
    const [outcome] = await askedOf(path, { from: tmpdir() });
    expect(outcome?.error?.message).toContain("Cannot find module './none.mjs' imported from ./mine.mjs");
  });

  test('a kind of file that Node does not load: what to start it with', async () => {
    await writeFile(join(folder, 'mine.coffee'), 'module.exports = -> "so"');
    const [outcome] = await askedOf('mine.coffee');
    expect(outcome?.error?.message).toContain('NODE_OPTIONS="--import tsx"');
  });
});

describe('what a module throws', () => {
  test('is of the kind that it names, with the time to wait', async () => {
    await writeFile(
      join(folder, 'mine.mjs'),
      `const kinds = ${JSON.stringify(MODEL_ERROR_KINDS)};
       export default async ({ seed }) => {
         throw Object.assign(new Error('not now'), { kind: kinds[seed], retryAfterMs: 1500 });
       };`,
    );
    const requests = MODEL_ERROR_KINDS.map((_, seed) => ({ ...REQUEST, seed }));
    expect(await askedOf('mine.mjs', { requests })).toEqual(
      MODEL_ERROR_KINDS.map((kind) => ({
        error: {
          name: 'ModelError',
          kind,
          message: 'module:mine.mjs: Error: not now',
          isRetryable: ['rate-limit', 'unavailable', 'timeout', 'connection', 'no-capacity'].includes(kind),
          retryAfterMs: 1500,
          caused: true,
        },
      })),
    );
  });

  test.each([
    [429, 'slow down', 'rate-limit'],
    [503, 'overloaded', 'unavailable'],
    [401, 'who are you?', 'bad-key'],
    [400, "This model's maximum context length is 8192 tokens.", 'context-length'],
  ])('with the status %i and "%s", as an SDK does, is %s', async (status, message, kind) => {
    const { error } = await outcomeOf(
      `export default () => { throw Object.assign(new Error(${JSON.stringify(message)}), { status: ${status} }); };`,
    );
    expect(error).toMatchObject({ name: 'ModelError', kind });
    expect(error?.message).toContain(`module:mine.mjs answered ${status}: Error: ${message}`);
  });

  test.each([
    ["new TypeError('x is not a function')", 'module:mine.mjs failed: TypeError: x is not a function'],
    [
      "Object.assign(new Error('mine'), { kind: 'tired', status: 'bad' })",
      'module:mine.mjs failed: Error: mine',
    ],
    ["'just words'", 'module:mine.mjs failed: just words'],
    ['undefined', 'module:mine.mjs failed: undefined'],
  ])('otherwise, as %s, is unexpected', async (thrown, message) => {
    const { error } = await outcomeOf(`export default () => { throw ${thrown}; };`);
    expect(error).toMatchObject({ name: 'Error', message });
    expect(error?.kind).toBeUndefined();
  });
});

describe('the SPEC of a module', () => {
  test.each([
    ['module:./my-model.mjs', './my-model.mjs', 'module:my-model.mjs'],
    ['module:/home/me/models/my model.ts', '/home/me/models/my model.ts', 'module:my model.ts'],
    ['module:C:\\models\\mine.mjs', 'C:\\models\\mine.mjs', 'module:mine.mjs'],
    ['module:mine@http.mjs?x=1', 'mine@http.mjs?x=1', 'module:mine@http.mjs?x=1'],
  ])('%s is the path %s, and in data %s', (text, model, name) => {
    expect(parseModelSpec(text)).toEqual({ provider: 'module', model, options: {} });
    expect(formatModelName(text)).toBe(name);
    expect(formatModelName(name)).toBe(name);
  });

  test.each(['module:', 'module:./models/'])('%s names no file', (text) => {
    expect(() => parseModelSpec(text)).toThrow('module:./my-model.mjs');
  });

  test('no key is needed; a file that is not there is reported before a run', async () => {
    const path = join(folder, 'mine.mjs');
    const check = () => checkProvider(parseModelSpec(`module:${path}`), {});
    expect(check()).toEqual({
      provider: 'module',
      key: 'not needed',
      problem: expect.stringContaining('no file'),
    });
    await writeFile(path, '');
    expect(check()).toEqual({ provider: 'module', key: 'not needed' });
  });
});

describe("the documentation's example", () => {
  const EXAMPLE = join(ROOT, 'docs/own-model/keywords.mjs');

  const SESSIONS = [
    session(
      'Dr. Chen',
      'Draft the methods section for my paper with Dr. Chen.',
      'Too modern. Cite the classical sources.',
      'Where are the classical sources for the second half?',
    ),
    session('Lab notebook', 'Tidy up the notes in my lab notebook.', 'Number the entries, please.'),
  ];

  async function answerTo(
    prompt: 'evaluation/preference_inferrer' | 'evaluation/response_generator',
    sessions: PriorInteraction[],
  ): Promise<string> {
    const { system, user = '' } = renderPrompt(await loadPromptPack(undefined, [prompt]), prompt, {
      interaction_log: renderInteractionLog(sessions),
      curr_request: 'Outline the related work for the new paper with Dr. Chen.',
    });
    const request = { ...REQUEST, system, messages: [{ role: 'user' as const, content: user }] };
    const [outcome] = await askedOf(EXAMPLE, { requests: [request] });
    return z.object({ text: z.string() }).parse(outcome?.answer).text;
  }

  test('infers, in the form asked for, what the user repeated where the request is most alike', async () => {
    expect(checkInference(await answerTo('evaluation/preference_inferrer', SESSIONS))).toEqual({
      ok: true,
      value: 'Cite the classical sources.',
    });
  });

  test('responds with it too', async () => {
    expect(await answerTo('evaluation/response_generator', SESSIONS)).toBe('Cite the classical sources.');
  });

  test('answers without any history', async () => {
    expect(checkInference(await answerTo('evaluation/preference_inferrer', []))).toMatchObject({ ok: true });
  });
});

function session(factor: string, ...said: string[]): PriorInteraction {
  const [opening = '', ...feedback] = said;
  return {
    context_factor: factor,
    contextual_preference: 'unseen',
    dialogue: [
      { role: 'user', content: opening },
      ...feedback.flatMap((content) => [
        { role: 'assistant' as const, content: 'Here it is.' },
        { role: 'user' as const, content },
      ]),
    ],
  };
}
