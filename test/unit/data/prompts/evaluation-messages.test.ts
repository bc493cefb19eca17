import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EVALUATION_PROMPT_NAMES } from '../../../../data/prompts/files';
import {
  renderInteractionLog,
  renderJudgeChecklist,
  renderMatcherExamples,
} from '../../../../data/prompts/evaluation-values';
import { loadPromptPack } from '../../../../data/prompts/load';
import { renderPrompt } from '../../../../data/prompts/render';
import { renderChecklist } from '../../../../data/prompts/values';
import type { PriorInteraction } from '../../../../schemas/dataset/instance';
import type { PromptPack } from '../../../../schemas/run/prompts';

/**
 * A stand-in for the pack of the reference's authors: only the files of the reference, and the worked examples beside them. With traces of
 * editors and careless hands: CRLF, trailing spaces, quoted scalars, kept newlines at the end. The expected messages are written out by
 * hand from the rules of the reference's layout.
 */
const AUTHORS_PACK: Readonly<Record<string, string>> = {
  'synthesis/preference_decomposer.yaml': [
    'system_prompt: |-',
    '  Split it. Answer {{"checklist": []}}.',
    'user_prompt: |',
    '  ### Preference',
    '',
    '  {preferences}',
    '',
  ].join('\n'),
  'evaluation/preference_inferrer.yaml': [
    'system_prompt: |',
    '  Infer – like {{"this"}}, {curr_request} and {0!r}.  ',
    '',
    '  Bye.',
    'user_prompt: |+',
    '  Log: {interaction_log}',
    '  Now: {curr_request}  ',
    '  {{"keep": "{curr_request}"}}',
    '',
    '',
  ].join('\r\n'),
  'evaluation/preference_matcher.yaml': [
    'system_prompt: "Match.\\n\\n```json\\n{{\\"results\\": []}}\\n```\\n\\n{examples}\\t"',
    'user_prompt: >-',
    '  Preference:',
    '  {preference}',
    '',
    '  Checklist: {checklist}',
    '',
  ].join('\n'),
  'evaluation/preference_matcher_model.yaml':
    'system_prompt: ""\nuser_prompt: "#### Criterion\\n{preference}\\n#### Checklist\\n{checklist}\\n"\n',
  'evaluation/response_generator.yaml':
    "system_prompt: 'Réponds. {interaction_log} }}'\nuser_prompt: '{interaction_log}|{curr_request}'\n",
  'evaluation/response_judger.yaml': [
    'user_prompt: "{user_request}\\n\\n{ai_response}"',
    'system_prompt: |-',
    '  {preference}',
    '    {checklist}',
    '  {{end}}',
    'notes: [not, ours]',
    '',
  ].join('\n'),
  'evaluation/preference_matcher_examples.json': `[
    {"preference": "Grüße { x }", "checklist": [{"entry": "Größe?", "label": "Partially Covered"}]},
    {"preference": "Two", "checklist": [{"entry": "a", "label": "Not Covered"}, {"entry": "b", "label": "Fully Covered"}]}
  ]`,
};

const SESSIONS: readonly PriorInteraction[] = [
  {
    context_factor: 'never shown',
    contextual_preference: 'never shown',
    dialogue: [
      { role: 'user', content: ' Code: {interaction_log} {{a}} ' },
      { role: 'assistant', content: '```json\n{"a": 1}\n```\n' },
      { role: 'user', content: 'Schön.' },
    ],
  },
  { context_factor: 'x', contextual_preference: 'y', dialogue: [{ role: 'user', content: 'Ok?' }] },
];
const REQUEST = '  What about "{checklist}"?\n';
const PREFERENCE = 'Être bref {toujours}.';
const CHECKLIST = ['Is it {short}?', 'Is it “nice” \\ kind? '];

let folder: string;
let pack: PromptPack;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'authors-pack-'));
  await Promise.all(['synthesis', 'evaluation'].map((part) => mkdir(path.join(folder, part))));
  await Promise.all(
    Object.entries(AUTHORS_PACK).map(([name, content]) => writeFile(path.join(folder, name), content)),
  );
  pack = await loadPromptPack(folder, EVALUATION_PROMPT_NAMES);
});

afterAll(() => rm(folder, { recursive: true }));

const LOG = [
  '### Session 1\n\n',
  '#### User\n\n Code: {interaction_log} {{a}} \n\n',
  '#### AI Assistant\n\n```json\n{"a": 1}\n```\n\n\n',
  '#### User\n\nSchön.\n\n',
  '---\n\n',
  '### Session 2\n\n',
  '#### User\n\nOk?\n\n',
  '---',
].join('');

test("inference is asked in the reference's very words, its system prompt raw", () => {
  expect(
    renderPrompt(pack, 'evaluation/preference_inferrer', {
      curr_request: REQUEST,
      interaction_log: renderInteractionLog(SESSIONS),
    }),
  ).toEqual({
    system: 'Infer – like {{"this"}}, {curr_request} and {0!r}.  \n\nBye.\n',
    user: `Log: ${LOG}\nNow:   What about "{checklist}"?\n  \n{"keep": "  What about "{checklist}"?\n"}\n\n`,
  });
});

test("decomposition is asked in the reference's very words", () => {
  expect(renderPrompt(pack, 'synthesis/preference_decomposer', { preferences: PREFERENCE })).toEqual({
    system: 'Split it. Answer {"checklist": []}.',
    user: '### Preference\n\nÊtre bref {toujours}.\n',
  });
});

test("a match is asked in the reference's very words, examples and all", () => {
  expect(
    renderPrompt(pack, 'evaluation/preference_matcher', {
      preference: PREFERENCE,
      checklist: renderChecklist(CHECKLIST),
      examples: renderMatcherExamples(pack.matcherExamples ?? []),
    }),
  ).toEqual({
    system: [
      'Match.\n\n```json\n{"results": []}\n```\n\n',
      '#### Preference\n\nGrüße { x }\n\n#### Output\n\n```json\n{\n  "results": [\n',
      '    {\n      "index": 1,\n      "entry": "Gr\\u00f6\\u00dfe?",\n      "label": "Partially Covered"\n    }\n',
      '  ]\n}\n```\n\n---\n\n',
      '#### Preference\n\nTwo\n\n#### Output\n\n```json\n{\n  "results": [\n',
      '    {\n      "index": 1,\n      "entry": "a",\n      "label": "Not Covered"\n    },\n',
      '    {\n      "index": 2,\n      "entry": "b",\n      "label": "Fully Covered"\n    }\n',
      '  ]\n}\n```\n\n---',
      '\t',
    ].join(''),
    user: 'Preference: Être bref {toujours}.\nChecklist: 1. Is it {short}?\n2. Is it “nice” \\ kind? ',
  });
});

test("PrefMatcher is asked in its authors' form", () => {
  expect(
    renderPrompt(pack, 'evaluation/preference_matcher_model', {
      preference: PREFERENCE,
      checklist: renderChecklist(CHECKLIST),
    }),
  ).toEqual({
    system: '',
    user: '#### Criterion\nÊtre bref {toujours}.\n#### Checklist\n1. Is it {short}?\n2. Is it “nice” \\ kind? \n',
  });
});

test("a response is asked for in the reference's very words, its system prompt raw", () => {
  expect(
    renderPrompt(pack, 'evaluation/response_generator', {
      curr_request: REQUEST,
      interaction_log: renderInteractionLog(SESSIONS),
    }),
  ).toEqual({
    system: 'Réponds. {interaction_log} }}',
    user: `${LOG}|  What about "{checklist}"?\n`,
  });
});

test("a judgement is asked for in the reference's very words", () => {
  expect(
    renderPrompt(pack, 'evaluation/response_judger', {
      user_request: REQUEST,
      ai_response: '{"a": "{{b}}"}',
      preference: PREFERENCE,
      checklist: renderJudgeChecklist(CHECKLIST),
    }),
  ).toEqual({
    system: 'Être bref {toujours}.\n  - Is it {short}?\n- Is it “nice” \\ kind? \n{end}',
    user: '  What about "{checklist}"?\n\n\n{"a": "{{b}}"}',
  });
});
