import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getPart, needing } from '../parts/needing';
import { S3Server } from '../s3-server';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { HubStandIn } from '../stand-in/hub-server';
import { startOtlpReceiver, type OtlpReceiver } from '../stand-in/otlp-receiver';
import { setUpCluster } from '../temporal-cluster';
import { listExamples, ROOT, type Example } from '../page-examples';
import type { Instance } from '../../schemas/dataset/instance';
import { createTemporaryFolder } from '../temporary-folder';
import { buildBareEnvironment, COMMAND } from './command';
import { PageSession, type OpenCommand, type Outcome } from './page-session';
import { writeInstances } from './results';

const { test } = needing('temporal', 'storage', 'readers', 'validators');

/** The pages with examples. The unit tests compare docs/commands.md with the program. */
const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter(
  (page) => page.endsWith('.md') && page !== 'docs/commands.md' && listExamples(page).length > 0,
);

const TOKEN = 'hf_ofTheseTests';
const MODEL = 'openai:gpt-6-luna';
/** Models of a run in which session 3 of persona 2 fails: the assistant gives no usable answer to its request. */
const FAILING =
  '--model simulated:default --assistant-model "simulated:default?fail=which%20facts%20about%20the%20price%20list%20of%20the%20spring%20series"';

/** Substitutes for what this machine lacks, or a page leaves to its reader. */
const SUBSTITUTES: readonly (readonly [pattern: RegExp, substitute: string, reason: string])[] = [
  [/anthropic:claude-[\w.-]+/g, MODEL, 'the stand-in speaks the protocol of OpenAI'],
  [
    /openai:gpt-6\.1-terra(?= --personas)/g,
    'simulated:default',
    'the stand-in knows the built-in types only',
  ],
  [/@http:\/\/(?:localhost:8000|127\.0\.0\.1:8123)\/v1/g, '@$STAND_IN', "a reader's own server"],
  [
    /--use-matcher/g,
    '--use-matcher --matcher openai-compatible:kixlab/prefmatcher-7b@$STAND_IN',
    'the same server, named',
  ],
  [/(?<=_KEY=)…/g, 'key', "a reader's key"],
  [/hf_…/g, TOKEN, "a reader's token"],
  [/\b(?:SPEC|MODEL)\b(?!\])|(?<=--model )…/g, MODEL, "a reader's model"],
  [/(?<=synth )…/g, `--output-dir out --model ${MODEL}`, "a reader's options"],
  [
    /(?<=eval )…/g,
    `--results-dir tried --data out --model ${MODEL} --evaluator ${MODEL}`,
    "a reader's options",
  ],
  [/(?<=out )…(?= --only)/g, FAILING, "a reader's options"],
  [/\bRUN\b/g, 'out', "a reader's run"],
  [/\[SPEC\]/g, MODEL, 'a part that may be left out'],
  [/\[(--[^\]]*)\]/g, '$1', 'an option that may be left out'],
  [/\bFILE\b/g, 'models.yaml', "a reader's file"],
  [/\b17,42\b/g, '1,2', 'personas of a small run'],
  [/\b17\b/g, '2', 'the persona that failed'],
  [/p17-/g, 'p2-', 'the same'],
  [/temporal\.example:7233/g, '$CLUSTER', "a reader's cluster"],
  [/s3:\/\/bucket/g, 's3://cupid-test', "a reader's bucket"],
  [/AWS_REGION=eu-central-1/g, 'AWS_REGION=us-east-1', 'the region of that bucket'],
  [/https:\/\/s3\.example\.com/g, '$STORAGE', "a reader's storage"],
  [/\/shared\/out/g, 'out', "a reader's directory"],
  [/\/opt\/temporal\/bin\/temporal/g, '$TEMPORAL', 'the server of the tests'],
  [/<64 hex digits>/g, '$TEMPORAL_SHA256', 'its hash'],
  [/\b9464\b/g, '0', 'a port that another program may use'],
  [/http\.server/g, 'http.server 0', 'a port that another program may use'],
  [/http:\/\/localhost:4318/g, '$COLLECTOR', "a reader's collector"],
  [/cupid publish/g, 'cupid publish --allow-simulated', 'the data here are simulated'],
  [
    /openai\/gpt-6-luna/g,
    'mockllm/model',
    "Inspect's own stand-in, because the package openai is not installed",
  ],
  [/(?<=--n-personas )50(?= --model simulated)/g, '20', 'as many as 32k needs'],
  [/(?<=--n-personas )50(?= --n-sessions)/g, '1', 'as many take hours'],
  [/(?<=--n-personas )(?:64|250)\b(?! --concurrency)/g, '2', 'as many take hours'],
  [/(?<=--format [a-z-]+ --history )128k/g, '32k', 'the data here are small'],
  [/kixlab\/CUPID(?=.* --history)/g, 'kixlab/larger', 'as many personas as 32k needs'],
];

/** Examples that are not run, each with the reason. */
const NOT_RUN: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^(?:npm|pip) /, 'installs from the internet'],
  [/^git clone |authors\/prompts/, "the authors' prompts from GitHub"],
  [/^(?:docker|kubectl|helm) /, 'there is neither Docker nor Kubernetes; .ci/lint-deploy checks the files'],
  [
    /deploy\/\.env|127\.0\.0\.1:7233|AWS_ACCESS_KEY_ID=…|s3:\/\/cupid\//,
    'the same: a cluster of Docker Compose',
  ],
  [/deploy\/local\.sh|\$CUPID_STORE/, 'test/end-to-end/local-cluster.test.ts runs it'],
  [/temporal\.io:7233|tmprl\.cloud|TEMPORAL_TLS_/, 'an account of Temporal Cloud'],
  [/^vllm /, 'a GPU'],
  [/^ssh |^restrict,/, 'a second machine'],
  [/^hf upload /, 'the stand-in of the Hub has data sets only'],
  [/^prometheus |^# answers per minute/, 'Prometheus, which bench/dashboard.mjs needs too'],
  [/^node bench\/real-model/, 'a model of 98 MB from the internet'],
  [
    /^(?:inspect|lm_eval) /,
    'packages that the part validators lacks; publishing/validators.test.ts runs the tasks from Python',
  ],
  [/^from trl import/, 'PyTorch and a GPU'],
  [/^flowchart /, 'a diagram'],
  [/^export default async|^return \{ text|^if \(response/, 'a fragment of JavaScript'],
  [
    /^\{\n {2}"cupid_sft"|^datasets:\n/,
    'a file of LLaMA-Factory or axolotl, neither of which is a part of the tests',
  ],
  [/^\[profile|^# ~\/\.config/, 'an account of Temporal Cloud'],
  [/^chat gpt-6-luna/, 'test/promises/telemetry.test.ts compares the spans'],
  [/^\{"time"/, 'test/unit/workers/telemetry/log.test.ts compares the line'],
];

/** Commands that end otherwise than with 0. */
const EXIT_CODES: readonly (readonly [pattern: RegExp, code: number, reason: string])[] = [
  [/retry unverified/, 1, 'the run is in progress'],
  [/--n-personas 2 .*\?fail=/, 3, 'a dialogue fails'],
  [/retry out(?! +--(?:estimate|model|damaged|trust))/, 3, 'the dialogue fails again'],
  [/--results-dir short/, 2, 'the data are too small'],
];

/** Commands that go on until Ctrl-C: what they print first, and how they end then. */
const OPEN_COMMANDS: readonly {
  readonly pattern: RegExp;
  readonly firstWords: RegExp;
  readonly code: number;
  /** True if it goes on beside the later commands of its page. */
  readonly isBeside?: true;
}[] = [
  { pattern: /cupid explore (?!.*--bundle)/, firstWords: /Press Ctrl-C to stop/, code: 0 },
  { pattern: /cupid review (?!.*--auto)/, firstWords: /Press Ctrl-C to stop/, code: 130 },
  { pattern: /cupid status .*--watch/, firstWords: /^Run cupid-/m, code: 130 },
  { pattern: /cupid synth .*--telemetry/, firstWords: /Waiting for a last scrape/, code: 0 },
  { pattern: /cupid worker .*--telemetry/, firstWords: /Waiting for a last scrape/, code: 0 },
  {
    pattern: /cupid worker (?!out --trust)/,
    firstWords: /Working (?:on run|for the runs)|No command is driving/,
    code: 130,
  },
  { pattern: /# until cupid cancel/, firstWords: /Starting run/, code: 1, isBeside: true },
  { pattern: /npx cupid synth .*--n-personas 250/, firstWords: /Starting run/, code: 130 },
  {
    pattern: /^cupid synth .*--n-personas 250/,
    firstWords: /(?:Starting|Continuing) run/,
    code: 130,
    isBeside: true,
  },
  { pattern: /http\.server/, firstWords: /Serving HTTP .*\((?<url>http\S+)\)/, code: 0 },
];

/** Blocks that are no commands: the command that prints the block, or reads it from the file `block`. */
const OTHER_BLOCKS: readonly (readonly [pattern: RegExp, command: string])[] = [
  [
    /^cupid: --history 128k/,
    'cupid eval --results-dir short --data out --task choice --model simulated:careful --history 128k',
  ],
  [
    /^Left out: context/,
    'cupid eval --results-dir window --data out --task choice --model openai:gpt-4o --history own 128k --limit 3',
  ],
  [
    /^(?:steps|quality):/,
    'cupid synth --output-dir tried --model simulated:default --settings block --estimate',
  ],
  [/^factor_types:/, 'cupid synth --output-dir tried --model simulated:default --taxonomy block --estimate'],
  [/^- model:/, 'cupid models openai-compatible:my-model@http://localhost/v1 --models block'],
  [/^select /, '"$READERS" -c \'import duckdb; print(duckdb.sql(open("block").read()))\''],
];

/** Commands whose output is compared elsewhere, because it depends on the moment. */
const COMPARED_ELSEWHERE: readonly (readonly [pattern: RegExp, place: string])[] = [
  [/cupid status /, 'test/unit/cli/status/status.test.ts'],
];

/** Continues the run of README.md that was stopped, beside the commands that steer it. */
const CONTINUED =
  'cupid synth --output-dir unverified --n-personas 250 --concurrency 4 --model openai:gpt-6-luna --user-model openai:gpt-6.1-terra --assistant-model together:Qwen/Qwen3.5-9B';

/** Makes a run that goes on beside the commands that steer it. */
const STEERED = 'cupid synth --output-dir out --n-personas 250 --concurrency 4 --model openai:gpt-6-luna';

const OUT = 'cp -r "$MADE/README.md/made" out && rm -rf out/review out/verification';

/** Commands before the examples of a page, or before one of them, for the folders and files that it speaks of. */
const PREPARATIONS: readonly (readonly [page: string, before: RegExp, ...commands: string[]])[] = [
  ['README.md', /status unverified --watch/, CONTINUED],
  ['README.md', /out --store/, 'mv out made'],
  ['docs/batch.md', /gpt-6-luna.*--batch/, OUT],
  ['docs/cluster.md', /--n-personas 250/, 'rm -r out'],
  ['docs/cluster.md', /cupid pull/, 'rm -r out'],
  ['docs/data-quality.md', /validate out  /, OUT],
  [
    'docs/data-sets.md',
    /validate out  /,
    OUT,
    'cp -r "$MADE/README.md/results" .',
    'cp out/CUPID-Unverified/test.parquet data.parquet',
    'cp "$MADE/ids.txt" .',
    'cupid eval --results-dir results --data out --task both --model simulated:careful simulated:hasty --evaluator simulated:default',
  ],
  ['docs/evaluation.md', /results/, OUT],
  [
    'docs/evaluation.md',
    /--stress/,
    // The data have grown since; what is open makes the exit code 3.
    'cupid eval --results-dir results --data out --task choice --model simulated:default --context full none',
  ],
  [
    'docs/explorer.md',
    /explore out  /,
    OUT,
    'cp -r "$MADE/README.md/results" .',
    'for name in a b 1 2; do cp -r results results-$name; done',
    'cp out/CUPID-Unverified/test.parquet data.parquet',
  ],
  ['docs/models.md', /cupid eval …/, OUT],
  ['docs/models.md', /--tier flex/, 'rm -r out'],
  ['docs/own-model.md', /module:/, OUT],
  ['docs/python.md', /^import datasets/, OUT],
  [
    'docs/repair.md',
    /failures out/,
    `cupid synth --output-dir out --n-personas 2 ${FAILING}`,
    'cp -r "$MADE/README.md/results" .',
  ],
  ['docs/review.md', /verify/, OUT],
  ['docs/review.md', /--rater ben --sample/, 'rm -r out/review'],
  ['docs/review.md', /--auto/, 'rm -r out/review'],
  ['docs/security.md', /retry out/, OUT],
  ['docs/security.md', /CUPID_TEMPORAL=/, 'rm -r out'],
  ['docs/steering.md', /status out --watch/, `${STEERED} # until cupid cancel`],
  ['docs/steering.md', /set RUN/, 'cp "$MADE/models.yaml" .', STEERED],
  ['docs/synthesis.md', /--personas people/, 'rm -r out', 'cp "$MADE/people.csv" "$MADE/types.yaml" .'],
  ['docs/synthesis.md', /--n-sessions/, 'rm -r out'],
  ['docs/telemetry.md', /OTEL_/, 'rm -r out'],
  ['docs/trust.md', /--task both/, OUT],
  ['docs/verification.md', /--estimate/, OUT],
];

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const cluster = setUpCluster(inFolder('cluster'));
const storage = new S3Server();
let standIn: StandIn;
let hub: HubStandIn;
let collector: OtlpReceiver;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  [standIn, hub, collector] = await Promise.all([
    startStandIn(),
    HubStandIn.start(),
    startOtlpReceiver(),
    storage.start(),
  ]);
  hub.users.set(TOKEN, { name: 'me', role: 'write' });
  const instances = await addDataSet('kixlab/CUPID', 2);
  await addDataSet('kixlab/larger', 20);
  writeFileSync(inFolder('ids.txt'), instances.map(({ persona_id: id }) => `${id}\n`).join(''));
  writeFileSync(inFolder('people.csv'), PEOPLE);
  writeFileSync(inFolder('types.yaml'), findBlock('docs/synthesis.md', /^factor_types:/));
  writeFileSync(inFolder('models.yaml'), findBlock('docs/models.md', /^- model:/));
  environment = buildEnvironment();
});
afterAll(async () => {
  await Promise.all([standIn.goDown(), hub.stop(), collector[Symbol.asyncDispose](), storage.remove()]);
});

const PEOPLE = `occupation,description
Beekeeper,"Tom Ruiz, 58, he/him, keeps 60 hives. He sells honey at two markets."
Court clerk,"Ana Petrov, 29, she/her, is a court clerk who prepares hearings."
`;

/** Publishes a data set of this many personas on the Hub. */
async function addDataSet(name: string, personas: number): Promise<Instance[]> {
  const instances = await writeInstances(inFolder('data.parquet'), personas);
  const commit = 'a'.repeat(40);
  const files = { 'test.parquet': readFileSync(inFolder('data.parquet')) };
  hub.add({ name, commits: { [commit]: files }, refs: { main: commit } });
  return instances;
}

function findBlock(page: string, pattern: RegExp): string {
  const block = listExamples(page).find(({ text }) => pattern.test(text));
  if (block === undefined) throw new Error(`${page} has no block ${pattern}.`);
  return block.text;
}

test('README.md does what it says', async () => {
  expect(await readFirstPage()).toEqual([]);
});

test.concurrent.each(PAGES.filter((page) => page !== 'README.md'))('%s does what it says', async (page) => {
  await readFirstPage();
  expect(await readAloud(page)).toEqual([]);
});

/** Reads README.md once: its commands make the folders of the other pages. */
async function readFirstPage(): Promise<string[]> {
  readme ??= readAloud('README.md');
  return readme;
}

let readme: Promise<string[]> | undefined;

test('each entry of the tables is about an example', () => {
  const examples = PAGES.flatMap(listExamples).map(({ page, text }) => ({
    page,
    text,
    done: substitute(text),
  }));
  const commands = [
    ...examples.map(({ done }) => done),
    ...PREPARATIONS.flatMap(([, , ...preparing]) => preparing),
    ...OTHER_BLOCKS.map(([, command]) => command),
  ];
  const unused = [
    ...SUBSTITUTES.filter(([pattern]) => !examples.some(({ text }) => text.search(pattern) !== -1)),
    ...[...NOT_RUN, ...OTHER_BLOCKS, ...COMPARED_ELSEWHERE].filter(
      ([pattern]) => !examples.some(({ text }) => pattern.test(text)),
    ),
    ...EXIT_CODES.filter(([pattern]) => !commands.some((command) => pattern.test(command))),
    ...OPEN_COMMANDS.filter(({ pattern }) => !commands.some((command) => pattern.test(command))),
    ...PREPARATIONS.filter(
      ([page, before]) => !examples.some((example) => example.page === page && before.test(example.text)),
    ),
  ];
  expect(unused).toEqual([]);
});

/** Runs the examples of a page in a directory of its own. Returns a text for each that does not do what the page says. */
async function readAloud(page: string): Promise<string[]> {
  const place = inFolder(page);
  mkdirSync(place, { recursive: true });
  for (const directory of ['docs', 'deploy']) symlinkSync(join(ROOT, directory), join(place, directory));
  await using session = new PageSession(place, environment, getPart('validators'));
  const reading: Reading = { place, session, openCommands: [] };
  const problems: string[] = [];
  const preparations = new Set(PREPARATIONS.filter(([name]) => name === page));
  for (const example of listExamples(page)) {
    if (NOT_RUN.some(([pattern]) => pattern.test(example.text))) continue;
    for (const preparation of preparations) {
      const [, before, ...commands] = preparation;
      if (!before.test(example.text)) continue;
      preparations.delete(preparation);
      for (const text of commands)
        problems.push(...(await carryOut(reading, { ...example, language: 'shell', text, shown: [] })));
    }
    problems.push(...(await carryOut(reading, example)));
  }
  for (const [example, command, code] of reading.openCommands) {
    problems.push(...compareOutcome(example, await command.interrupt(), code));
  }
  return problems;
}

interface Reading {
  readonly place: string;
  readonly session: PageSession;
  /** Commands beside the later ones, with their exit codes after Ctrl-C. */
  readonly openCommands: [Example, OpenCommand, number][];
}

async function carryOut(reading: Reading, example: Example): Promise<string[]> {
  const start = performance.now();
  const problems = await runExample(reading, example);
  if (process.env['CUPID_READ_ALOUD'] === '1') {
    process.stderr.write(`${Math.round(performance.now() - start)} ms  ${describe(example)}\n`);
    for (const problem of problems) process.stderr.write(`PROBLEM ${problem}\n`);
  }
  return problems;
}

async function runExample({ place, session, openCommands }: Reading, example: Example): Promise<string[]> {
  if (example.language === 'python')
    return compareOutcome(example, await session.runPython(substitute(example.text)), 0);
  if (example.language !== 'shell') {
    const [, text] = OTHER_BLOCKS.find(([pattern]) => pattern.test(example.text)) ?? [];
    if (text === undefined) return [`${describe(example)}: is neither run nor listed`];
    writeFileSync(join(place, 'block'), example.text);
    const shown = example.language === 'output' ? example.text.split('\n') : [];
    return runExample({ place, session, openCommands }, { ...example, language: 'shell', text, shown });
  }
  const text = substitute(example.text);
  const open = OPEN_COMMANDS.find(({ pattern }) => pattern.test(text));
  if (open === undefined) {
    const [, code = 0] = EXIT_CODES.find(([pattern]) => pattern.test(text)) ?? [];
    return compareOutcome(example, await session.run(text), code);
  }
  const command = await session.open(text, open.firstWords);
  if (!('interrupt' in command)) return compareOutcome(example, command, open.code);
  if (open.isBeside !== true) return compareOutcome(example, await command.interrupt(), open.code);
  openCommands.push([example, command, open.code]);
  return [];
}

function substitute(text: string): string {
  return SUBSTITUTES.reduce((done, [pattern, by]) => done.replaceAll(pattern, by), text);
}

/** Returns a text if a command ended otherwise than expected, or did not print what the page shows. */
function compareOutcome(example: Example, { code, output }: Outcome, expected: number): string[] {
  if (code !== expected) {
    return [`${describe(example)}\nends with exit code ${code}, not ${expected}, and prints:\n${output}`];
  }
  if (COMPARED_ELSEWHERE.some(([pattern]) => pattern.test(example.text))) return [];
  const printed = mask(output);
  const missing = example.shown.filter((line) => !printed.includes(mask(line)));
  return missing.map(
    (line) => `${describe(example)}\nprints no line such as\n${line}\nIt prints:\n${output}`,
  );
}

/** Replaces what differs from run to run: ids, times, numbers and prices. */
function mask(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{6,}\b/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\d(?: \d\d:\d\d)?/g, 'TIME')
    .replaceAll(/\$?\d[\d.,]*/g, 'NUMBER');
}

function describe({ page, line, text }: Example): string {
  return `${page}:${line}: ${text}`;
}

/** Returns the variables of a reader's shell: providers and the Hub are stand-ins, and the commands those of this build. */
function buildEnvironment(): NodeJS.ProcessEnv {
  const temporal = getPart('temporal');
  const programs = inFolder('bin');
  mkdirSync(programs);
  const validators = dirname(getPart('validators'));
  // Its scripts name the directory in which they were installed, from which they were moved.
  const scripts = ['every_eval_ever', 'mlcroissant'].map(
    (name) => [name, `${getPart('validators')} ${join(validators, name)}`] as const,
  );
  for (const [name, command] of [['cupid', `${process.execPath} ${COMMAND}`], ['npx', ''], ...scripts]) {
    writeFileSync(join(programs, name), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  }
  return {
    ...buildBareEnvironment(),
    PATH: [programs, validators, process.env['PATH']].join(':'),
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: standIn.url,
    TOGETHER_API_KEY: 'key',
    TOGETHER_BASE_URL: standIn.url,
    HF_ENDPOINT: hub.url,
    HF_HOME: inFolder('hub-home'),
    HF_HUB_DISABLE_TELEMETRY: '1',
    HF_TOKEN: TOKEN,
    ...storage.environment,
    STORAGE: storage.environment['AWS_ENDPOINT_URL_S3'],
    CLUSTER: cluster.address,
    COLLECTOR: collector.url,
    STAND_IN: standIn.url,
    READERS: getPart('readers'),
    TEMPORAL: temporal,
    TEMPORAL_SHA256: createHash('sha256').update(readFileSync(temporal)).digest('hex'),
    MADE: folder,
  };
}
