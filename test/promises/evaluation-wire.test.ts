import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import type { Instance } from '../../schemas/dataset/instance';
import { runLoaded } from '../end-to-end/loaded-command';
import { createTemporaryFolder } from '../temporary-folder';
import { ScriptedServer, type Asked } from '../end-to-end/scripted-server';

/*
 * The pack below has the form of the reference's authors, with its traps: raw system prompts with braces, doubled braces elsewhere,
 * trailing spaces and line ends. The expected requests are composed here from the reference's rules, without any of the program's own
 * functions. They are compared letter by letter.
 */
const PACK: Readonly<Record<string, string>> = {
  'synthesis/preference_decomposer.yaml': [
    'system_prompt: |',
    '  Take it apart: {{"checklist": ["…"]}}.',
    'user_prompt: |-',
    '  ### Preference',
    '',
    '  {preferences}',
  ].join('\n'),
  'evaluation/preference_inferrer.yaml': [
    'system_prompt: |',
    '  Infer. Keep {{"these"}} and {interaction_log} as they are.  ',
    '',
    'user_prompt: |',
    '  ### Log',
    '',
    '  {interaction_log}',
    '',
    '  ### Request',
    '',
    '  {curr_request}',
    '  {{"braces": "{curr_request}"}}',
  ].join('\n'),
  'evaluation/preference_matcher.yaml': [
    'system_prompt: |-',
    '  Match. Answer {{"results": []}}.',
    '',
    '  {examples}',
    '',
    '  Now you.',
    'user_prompt: "#### Preference\\n\\n{preference}\\n\\n#### Checklist\\n\\n{checklist}\\n"',
  ].join('\n'),
  'evaluation/preference_matcher_model.yaml':
    'system_prompt: "You are a matcher: [{{}}]"\nuser_prompt: "#### Criterion\\n\\n{preference}\\n\\n#### Checklist\\n\\n{checklist}"\n',
  'evaluation/response_generator.yaml':
    "system_prompt: 'Respond {{like}} {curr_request}.'\nuser_prompt: '{interaction_log} | {curr_request}'\n",
  'evaluation/response_judger.yaml':
    'system_prompt: "Judge.\\n{preference}\\n{checklist}\\n{{}}"\nuser_prompt: "{user_request}\\n---\\n{ai_response}"\n',
  'evaluation/preference_matcher_examples.json': JSON.stringify([
    { preference: 'Über {alles}', checklist: [{ entry: 'Kürze?', label: 'Partially Covered' }] },
    {
      preference: 'Two',
      checklist: [
        { entry: 'a "b"', label: 'Not Covered' },
        { entry: 'c', label: 'Fully Covered' },
      ],
    },
  ]),
  // The reference has no files for these two; a pack may have them.
  'evaluation/interaction_summarizer.yaml':
    'system_prompt: "Summarize: {{}}"\nuser_prompt: "{interaction_log}\\n\\nGo."\n',
  'evaluation/response_generator_with_preference.yaml':
    'system_prompt: "Respond by {{it}}."\nuser_prompt: "{preference} | {curr_request}"\n',
};

const INSTANCE: Instance = {
  persona_id: '1+baker',
  instance_type: 'changing',
  current_request: '  What of {this}?\n',
  current_context_factor: 'The bakery',
  current_contextual_preference: 'Être bref.',
  current_checklist: ['Is it {short}? ', 'Is it “kind”?'],
  prior_interactions: [
    {
      context_factor: 'The mill',
      contextual_preference: 'Être bref.',
      dialogue: [
        { role: 'user', content: ' Hello {curr_request}\n' },
        { role: 'assistant', content: '```json\n{{}}\n```' },
        { role: 'user', content: 'Thanks. ' },
      ],
    },
    {
      context_factor: 'The bakery',
      contextual_preference: 'Être bref.',
      dialogue: [
        { role: 'user', content: 'Flour?' },
        { role: 'assistant', content: '' },
      ],
    },
    {
      context_factor: 'The bakery',
      contextual_preference: 'Être long.',
      dialogue: [{ role: 'user', content: '### Session 9' }],
    },
  ],
};

const MILL =
  '#### User\n\n Hello {curr_request}\n\n\n#### AI Assistant\n\n```json\n{{}}\n```\n\n#### User\n\nThanks. \n\n';
const FLOUR = '#### User\n\nFlour?\n\n#### AI Assistant\n\n\n\n';
const NINE = '#### User\n\n### Session 9\n\n';
const FULL = `### Session 1\n\n${MILL}---\n\n### Session 2\n\n${FLOUR}---\n\n### Session 3\n\n${NINE}---`;
const ORACLE = `### Session 1\n\n${FLOUR}---`;
const NONE = '(There are no previous sessions.)';
// The layout of summaries is this project's own.
const SUMMARIES = [1, 2, 3]
  .map((k) => `### Session ${k}\n\n#### Context\n\n- At ${k}\n\n#### Preferences\n\n- Brief\n- Kind\n\n---`)
  .join('\n\n');

const EXAMPLES = [
  '#### Preference\n\nÜber {alles}\n\n#### Output\n\n```json\n{\n  "results": [\n    {\n      "index": 1,\n',
  '      "entry": "K\\u00fcrze?",\n      "label": "Partially Covered"\n    }\n  ]\n}\n```\n\n---\n\n',
  '#### Preference\n\nTwo\n\n#### Output\n\n```json\n{\n  "results": [\n    {\n      "index": 1,\n',
  '      "entry": "a \\"b\\"",\n      "label": "Not Covered"\n    },\n    {\n      "index": 2,\n',
  '      "entry": "c",\n      "label": "Fully Covered"\n    }\n  ]\n}\n```\n\n---',
].join('');

const REQUEST = INSTANCE.current_request;
const PREFERENCE = INSTANCE.current_contextual_preference;
const TRUE_NUMBERED = '1. Is it {short}? \n2. Is it “kind”?';
const TRUE_DASHED = '- Is it {short}? \n- Is it “kind”?';

/** Returns the prompts of models under test: system and user prompt. */
const summarize = (): Prompt => ['Summarize: {}', `${FULL}\n\nGo.`];
const infer = (log: string): Prompt => [
  'Infer. Keep {{"these"}} and {interaction_log} as they are.  \n',
  `### Log\n\n${log}\n\n### Request\n\n${REQUEST}\n{"braces": "${REQUEST}"}`,
];
const respond = (log: string): Prompt => ['Respond {{like}} {curr_request}.', `${log} | ${REQUEST}`];
const respondTo = (): Prompt => ['Respond by {it}.', `${PREFERENCE} | ${REQUEST}`];

/** Returns the prompts of evaluators after an answer of this model. */
const decompose = (model: string): Prompt => [
  'Take it apart: {"checklist": ["…"]}.\n',
  `### Preference\n\nIt is ${model}’s {guess}.`,
];
const match = (preference: string, checklist: string): Prompt => [
  `Match. Answer {"results": []}.\n\n${EXAMPLES}\n\nNow you.`,
  `#### Preference\n\n${preference}\n\n#### Checklist\n\n${checklist}\n`,
];
const prefMatch = (preference: string, checklist: string): Prompt => [
  'You are a matcher: [{}]',
  `#### Criterion\n\n${preference}\n\n#### Checklist\n\n${checklist}`,
];
const judge = (model: string): Prompt => [
  `Judge.\n${PREFERENCE}\n${TRUE_DASHED}\n{}`,
  `${REQUEST}\n---\nA {response}\nby ${model}.`,
];
const bothWays = (model: string, how: typeof match): Prompt[] => [
  how(PREFERENCE, `1. Is it like ${model}?\n2. Ünd?`),
  how(`It is ${model}’s {guess}.`, TRUE_NUMBERED),
];

type Prompt = readonly [system: string, user: string];

const folder = createTemporaryFolder();
let server: ScriptedServer;

beforeAll(async () => {
  server = await ScriptedServer.start(answer);
  await writeParquet(join(folder, 'data.parquet'), INSTANCE_COLUMNS, [INSTANCE]);
  for (const part of ['synthesis', 'evaluation']) {
    await mkdir(join(folder, 'pack', part), { recursive: true });
  }
  for (const [name, text] of Object.entries(PACK)) await writeFile(join(folder, 'pack', name), text);
});

afterEach(() => expect(server.problems).toEqual([]));
afterAll(() => server[Symbol.asyncDispose]());

test('full, oracle, summaries and none, both tasks: each message is the reference’s, for OpenAI and for servers like it', async () => {
  const from = server.asked.length;
  const models = [`--model=openai:tested`, `--model=${server.spec('own')}`];
  const evaluators = ['--evaluator=openai:panel', `--evaluator=${server.spec('ours')}`];
  await evaluate('contexts', [...models, ...evaluators, '--context=full,oracle,summary,none', '--task=both']);
  const asked = server.asked.slice(from);
  const logs = [FULL, ORACLE, SUMMARIES, NONE];
  const underTest = [summarize(), ...logs.flatMap((log) => [infer(log), respond(log)])];
  // A model gives the same answer for any history, so each evaluator gets the same prompts for each of the four.
  const evaluating = ['tested', 'own'].flatMap((model) => [
    decompose(model),
    ...bothWays(model, match),
    judge(model),
  ]);
  const fourTimes = (one: (prompt: Prompt) => Asked) => logs.flatMap(() => evaluating.map(one));
  expectAsked(
    asked,
    'tested',
    underTest.map((one) => openAiChat('tested', one)),
  );
  expectAsked(
    asked,
    'own',
    underTest.map((one) => compatible('own', 8192, one)),
  );
  expectAsked(
    asked,
    'panel',
    fourTimes((one) => openAiPrompt('panel', limitOf(one), one)),
  );
  expectAsked(
    asked,
    'ours',
    fourTimes((one) => compatible('ours', limitOf(one), one)),
  );
});

test('the true preference in place of the history, and PrefMatcher in its own form', async () => {
  const from = server.asked.length;
  const { stderr } = await evaluate('oracle-preference', [
    `--model=${server.spec('own')}`,
    '--evaluator=openai:panel',
    '--decomposer=openai:splitter',
    '--use-matcher',
    `--matcher=${server.spec('kixlab/prefmatcher-7b')}`,
    '--oracle-preference',
    '--task=both',
  ]);
  const asked = server.asked.slice(from);
  expectAsked(asked, 'own', [compatible('own', 8192, infer(FULL)), compatible('own', 8192, respondTo())]);
  expectAsked(asked, 'splitter', [openAiPrompt('splitter', 4096, decompose('own'))]);
  expectAsked(
    asked,
    'kixlab/prefmatcher-7b',
    bothWays('own', prefMatch).map((one) => compatible('kixlab/prefmatcher-7b', 8192, one)),
  );
  expectAsked(asked, 'panel', [openAiPrompt('panel', 8192, judge('own'))]);
  // This pack has another prompt than PrefMatcher's training.
  expect(stderr).toContain('its labels may be less reliable');
});

async function evaluate(name: string, options: readonly string[]): Promise<{ readonly stderr: string }> {
  const files = [`--data=${join(folder, 'data.parquet')}`, `--prompts=${join(folder, 'pack')}`];
  const ended = await runLoaded(['eval', `--results-dir=${join(folder, name)}`, ...files, ...options], {
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: server.url,
  });
  expect(ended).toMatchObject({ code: 0 });
  return ended;
}

/** Expects these requests to a model, with their complete bodies, in any order. */
function expectAsked(asked: readonly Asked[], model: string, expected: readonly Asked[]): void {
  const bodies = asked.filter((one) => one.model === model).map((one) => ({ ...one, seed: SEED }));
  expect(inOrder(bodies)).toEqual(inOrder(expected));
}

// Sent to distinguish samples; the reference sends none.
const SEED = 0;

const inOrder = (bodies: readonly Asked[]) =>
  bodies.toSorted((one, other) => (JSON.stringify(one.messages) < JSON.stringify(other.messages) ? -1 : 1));

/** Returns the token limit: 4,096 to decompose a preference, 8,192 for everything else. */
const limitOf = ([system]: Prompt) => (system.startsWith('Take') ? 4096 : 8192);

function openAiPrompt(model: string, limit: number, [system, user]: Prompt): Asked {
  return {
    model,
    messages: [
      { role: 'developer', content: system },
      { role: 'user', content: user },
    ],
    max_completion_tokens: limit,
    temperature: 0,
    seed: SEED,
  };
}

function openAiChat(model: string, [system, user]: Prompt): Asked {
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    max_completion_tokens: 8192,
    temperature: 0,
    seed: SEED,
  };
}

function compatible(model: string, limit: number, [system, user]: Prompt): Asked {
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    max_tokens: limit,
    temperature: 0,
    seed: SEED,
    stream: false,
  };
}

/** Returns answers that reveal whether they were stripped, and who gave them. */
function answer({ model, messages }: Asked): string {
  const [system, user] = messages.map(({ content }) => content);
  const of = /(?:like |is |by )(tested|own)/.exec(user ?? '')?.[1] ?? model;
  if (system?.startsWith('Summarize')) {
    const summaries = [1, 2, 3].map((k) => ({
      session_id: k,
      analysis: 'So.',
      context: [`At ${k}`],
      preferences: ['Brief', 'Kind'],
    }));
    return `\`\`\`json\n${JSON.stringify({ summaries })}\n\`\`\``;
  }
  if (system?.startsWith('Infer')) {
    return `### Analysis\n\nSo.\n\n### Most Likely Preference\n\n  It is ${model}’s {guess}.  \nNothing more.`;
  }
  if (system?.startsWith('Respond')) return `\n A {response}\nby ${model}. \n\n`;
  if (system?.startsWith('Take')) {
    return `So.\n\n\`\`\`json\n${JSON.stringify({ checklist: [`Is it like ${of}?`, 'Ünd?'] })}\n\`\`\``;
  }
  if (system?.startsWith('Judge')) return 'So.\n\n### Evaluation Score\n\n9';
  const results = [1, 2].map((index) => ({ index, label: 'Fully Covered' }));
  return JSON.stringify(system?.startsWith('Match') ? { results } : results);
}
