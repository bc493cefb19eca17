/**
 * Measures how often a small real model answers in the form that each step asks for: without help, and with a grammar that admits nothing but
 * this form. Prints each complete answer that was refused. This shows how clearly the prompts state their form, and what else the checks find; nothing
 * about the quality of data. The simulated model synthesizes the subjects of the prompts.
 *
 *   npm run build && node bench/real-model/form.mjs --url http://127.0.0.1:8123/v1 [--prompts DIR] [--times N] [--steps a,b] \
 *     [--max-tokens N] [--grammar]
 *
 * --url          a server with OpenAI's chat completions, such as serve.mjs beside this file
 * --prompts      another prompt pack than the built-in one
 * --times        how often each step is asked, about another persona each time (default: 5)
 * --max-tokens   of each answer (default: 1000)
 * --grammar      sends the form as a GBNF grammar, in the field of llama.cpp's server
 */
import { parseArgs } from 'node:util';
import { loadTypeScript } from '../shared/load-typescript.mjs';
import { describeMachine } from '../shared/processes.mjs';
import { printTable } from '../shared/table.mjs';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    prompts: { type: 'string' },
    times: { type: 'string', default: '5' },
    steps: { type: 'string' },
    'max-tokens': { type: 'string', default: '1000' },
    grammar: { type: 'boolean', default: false },
  },
});
if (options.url === undefined) throw new Error('Name the server: --url http://127.0.0.1:8123/v1.');

const { openSimulated, sampleTemplate, synthesizePersona } = loadTypeScript(
  'test/unit/models/simulated/persona.ts',
);
const { synthesizeInstances, inferText } = loadTypeScript('test/unit/models/simulated/evaluation.ts');
const prompts = loadTypeScript('data/prompts/files.ts');
const { loadPromptPack } = loadTypeScript('data/prompts/load.ts');
const { renderPrompt } = loadTypeScript('data/prompts/render.ts');
const values = loadTypeScript('data/prompts/values.ts');
const evaluated = loadTypeScript('data/prompts/evaluation-values.ts');
const verified = loadTypeScript('data/prompts/verification-values.ts');
const { buildOpeningMessage, buildUserSimulatorHistory } = loadTypeScript('rules/dialogue/messages.ts');
const answers = Object.assign(
  {},
  ...[
    'synthesis/describe',
    'synthesis/factors',
    'synthesis/journey',
    'synthesis/checklist',
    'synthesis/dialogue',
    'evaluation/summary',
    'evaluation/inference',
    'evaluation/match',
    'evaluation/judgement',
    'evaluation/error-type',
    'verification/contradiction',
    'verification/expressions',
    'verification/guess',
  ].map((file) => loadTypeScript(`rules/answers/${file}.ts`)),
);

const simulated = openSimulated();
const names = [
  ...prompts.SYNTHESIS_PROMPT_NAMES,
  ...prompts.EVALUATION_PROMPT_NAMES,
  ...(options.prompts === undefined ? prompts.VERIFICATION_PROMPT_NAMES : []),
];
const pack = await loadPromptPack(options.prompts, names);
const quality = 'reference';

/** Builds a part of a GBNF grammar: these texts, and between them what the model fills in. */
const form = (texts, ...spaces) => texts.map((text, at) => `${quote(text)} ${spaces[at] ?? ''}`).join(' ');
const quote = (text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
const words = (most) => `word (" " word){2,${most}}`;
const oneOf = (...labels) => `(${labels.map(quote).join(' | ')})`;
const each = (entries, separator, build) =>
  entries.map((entry, at) => build(quote(String(at + 1)), quote(entry))).join(` ${quote(separator)} `);
const buildGrammar = (root) => `root ::= ${root}\nword ::= [^ \\t\\n"\\\\*#]{1,20}\n`;
const COVERAGE = oneOf('Fully Covered', 'Partially Covered', 'Not Covered');
const DIGIT = '[1-9]';
const SATISFACTION = oneOf('Satisfied', 'Dissatisfied');

const { PAPER_TAXONOMY: types } = loadTypeScript('schemas/dataset/taxonomy.ts');
const NAMES = ['the Night Desk', 'the Kestrel Office', 'the Osprey Office'];

/** Builds the form of a factor; the names are given, because the last two name each other. */
const formFactor = (name, related) => form`
  - factor_type: ${oneOf(...types.factor_types)}
    background: >-
      ${words(50)}.
    factor: >-
      ${quote(name)}
    task_types:
      - ${quote('Planning')}
      - ${quote('Brainstorming')}
    preference_type: ${oneOf(...types.preference_types)}
    preference: >-
      ${words(25)}.
    related_factor: >-
      ${quote(related)}`;

/** Builds the form of a session; its place in the journey decides all but its texts. */
const formSession = ({ factor, preference, task_types: [task] }, at) => form`
  - id: ${quote(String(at + 1))}
    context_factor: >-
      ${quote(factor)}
    preference: >-
      ${quote(preference)}
    task_type: ${quote(task)}
    story: >-
      ${words(40)}.
    request_with_factor_and_preference: |-
      ${words(40)}.
    request_with_factor: |-
      ${words(40)}.`;

/** Lists the factor and preference of each session of a journey. */
function castSessions(structure, factors) {
  const [a, b] = factors.slice(-2);
  const free = factors.slice(0, -2);
  const changed = { ...a, preference: 'Responses must name one course of action and give no reason for it.' };
  let next = 0;
  return structure.map((role) => ({ A: a, "A'": changed, B: b })[role] ?? free[next++ % free.length]);
}

/** For each step: its prompt about a persona, the check of the answer, and its form. */
const STEPS = {
  describe: ({ id }) => ({
    prompt: 'synthesis/persona_generator',
    values: { seed_descriptions: values.renderTemplates([sampleTemplate(id)]) },
    check: (text) => answers.checkDescriptions(text, { count: 1, quality }),
    form: form`{"personas": [{"description": "${words(90)}", "occupation": "${words(4)}"}]}`,
  }),
  factors: ({ description }) => ({
    prompt: 'synthesis/context_factors_generator',
    values: { n_factors: '3', user_persona: description },
    check: (text) => answers.checkFactors(text, { nFactors: 3, quality }),
    form: form`\`\`\`yaml
context_factors:${formFactor(NAMES[0], 'N/A')}${formFactor(NAMES[1], NAMES[2])}${formFactor(NAMES[2], NAMES[1])}
\`\`\``,
  }),
  journey: ({ description, factors, structure }) => ({
    prompt: 'synthesis/sessions_generator',
    values: {
      n_sessions: String(structure.length),
      series_structure: values.renderStructure(structure),
      first_factor: factors.at(-2).factor,
      second_factor: factors.at(-1).factor,
      user_persona: description,
      context_factors: values.renderFactorsYaml(factors),
    },
    check: (text) => answers.checkJourney(text, { structure, factors, quality }),
    form: form`\`\`\`yaml
scenarios:${castSessions(structure, factors).map(formSession).join(' ')}
\`\`\``,
  }),
  checklist: ({ factors }) => ({
    prompt: 'synthesis/preference_decomposer',
    values: { preferences: factors[0].preference },
    check: answers.checkChecklist,
    form: form`{"checklist": ["${words(20)}?", "${words(20)}?"]}`,
  }),
  user: ({ description, journey, checklists }) => {
    const [session] = journey.sessions;
    const checklist = checklists.get(session.preference);
    const assistant = `Here is a plan for ${session.context_factor}: begin with the facts, then decide.`;
    return {
      prompt: 'synthesis/user_simulator',
      values: {
        user_profile: description,
        context_factor: session.context_factor,
        preference: session.preference,
        checklist: values.renderChecklist(checklist),
      },
      messages: buildUserSimulatorHistory(buildOpeningMessage(session), [{ assistant }]),
      check: (text) => answers.checkUserTurn(text),
      form: form`#### Evaluation of AI Assistant's Response
${each(checklist, '\n', (number) => form`${number}. ${words(25)}. ${SATISFACTION}`)}

#### Evaluation Score
${DIGIT}

#### Continue or End?
CONTINUE

#### Selected Checklist Items
${DIGIT} (Dissatisfied)

#### Thinking
${words(30)}

#### Your Message
${words(30)}`,
    };
  },
  summarize: ({ instance }) => {
    const sessions = instance.prior_interactions.slice(0, 2);
    return {
      prompt: 'evaluation/interaction_summarizer',
      values: { interaction_log: evaluated.renderInteractionLog(sessions) },
      check: (text) => answers.checkSummary(text, sessions.length),
      form: form`{"summaries": [${each(['', ''], ', ', (number) => form`{"session_id": ${number}, "analysis": "${words(40)}", "context": ["${words(15)}"], "preferences": ["${words(20)}"]}`)}]}`,
    };
  },
  infer: ({ instance, log }) => ({
    prompt: 'evaluation/preference_inferrer',
    values: { curr_request: instance.current_request, interaction_log: log },
    check: answers.checkInference,
    form: form`### Analysis

${words(60)}

### Most Likely Preference

${words(28)}`,
  }),
  match: ({ instance, inferred }) => ({
    prompt: 'evaluation/preference_matcher',
    values: {
      preference: inferred,
      checklist: values.renderChecklist(instance.current_checklist),
      examples: evaluated.renderMatcherExamples(pack.matcherExamples ?? []),
    },
    check: (text) => answers.checkMatch(text, instance.current_checklist),
    form: form`{"results": [${each(instance.current_checklist, ', ', (number, entry) => form`{"index": ${number}, "entry": "${entry}", "reasoning": "${words(30)}", "label": "${COVERAGE}"}`)}]}`,
  }),
  'match (PrefMatcher)': ({ instance, inferred }) => ({
    prompt: 'evaluation/preference_matcher_model',
    values: { preference: inferred, checklist: values.renderChecklist(instance.current_checklist) },
    check: (text) => answers.checkMatch(text, instance.current_checklist),
    form: form`[${each(instance.current_checklist, ', ', (number, entry) => form`{"index": ${number}, "entry": "${entry}", "label": "${COVERAGE}"}`)}]`,
  }),
  judge: ({ instance }) => ({
    prompt: 'evaluation/response_judger',
    values: {
      user_request: instance.current_request,
      ai_response: 'Begin with the facts, then decide, and tell everybody who is concerned.',
      preference: instance.current_contextual_preference,
      checklist: evaluated.renderJudgeChecklist(instance.current_checklist),
    },
    check: answers.checkJudgement,
    form: form`### Evaluation of AI Assistant's Response

${each(instance.current_checklist, '\n', (number, item) => form`${number}. **${item}** ${words(25)}. ${SATISFACTION}`)}

### Evaluation Label

${oneOf('Satisfied', 'Partially Satisfied', 'Dissatisfied')}

### Evaluation Score

${oneOf(...Array.from({ length: 10 }, (_, at) => String(at + 1)))}`,
  }),
  classify: ({ instance, inferred }) => ({
    prompt: 'evaluation/error_classifier',
    values: {
      curr_request: instance.current_request,
      context_factor: instance.current_context_factor,
      preference: instance.current_contextual_preference,
      inferred_preference: inferred,
      session_preferences: evaluated.renderSessionPreferences(instance.prior_interactions),
    },
    check: answers.checkErrorType,
    form: form`{"explanation": "${words(40)}", "type": "${oneOf('Incorrect Context', 'Shallow Inference', 'Vagueness', 'Hallucination')}"}`,
  }),
  express: ({ instance }) => ({
    prompt: 'verification/expression_finder',
    values: verified.renderExpressionQuestions([
      { checklist: instance.current_checklist, sessions: instance.prior_interactions.slice(0, 2) },
    ]),
    check: (text) => answers.checkExpressions(text, [instance.current_checklist]),
    form: form`{"results": [${each(instance.current_checklist, ', ', (number) => form`{"index": ${number}, "explanation": "${words(30)}", "quotations": ["${words(15)}"], "rating": "${oneOf('Fully', 'Partly', 'Not at all')}"}`)}]}`,
  }),
  guess: ({ instance }) => ({
    prompt: 'verification/request_guesser',
    values: { curr_request: instance.current_request },
    check: answers.checkGuess,
    form: form`{"explanation": "${words(30)}", "expectation": "${words(35)}"}`,
  }),
  contradict: ({ factors, checklists }) => {
    const [first, second] = factors.slice(-2).map(({ preference }) => preference);
    const state = (preference) => ({ preference, checklist: checklists.get(preference) ?? [preference] });
    return {
      prompt: 'verification/contradiction_finder',
      values: { pairs: verified.renderPairs([{ first: state(first), second: state(second) }]) },
      check: (text) => answers.checkContradictions(text, 1),
      form: form`{"results": [{"index": 1, "explanation": "${words(40)}", "verdict": "${oneOf('Contradictory', 'Compatible')}"}]}`,
    };
  },
};

const wanted = options.steps?.split(',') ?? Object.keys(STEPS);
const outcomes = new Map(
  wanted.map((step) => [step, { good: 0, cut: 0, tooLong: 0, asked: 0, reasons: [] }]),
);
for (let id = 1; id <= Number(options.times); id += 1) {
  const persona = { id, ...(await synthesizePersona(simulated, id, 8, 9)) };
  const instance = (await synthesizeInstances(simulated, id)).at(-3);
  const log = evaluated.renderInteractionLog(instance.prior_interactions.slice(0, 2));
  const inferred = await inferText(simulated, instance, log);
  for (const step of wanted) {
    const asked = STEPS[step]({ ...persona, instance, log, inferred });
    if (pack.prompts[asked.prompt] === undefined) continue;
    const outcome = outcomes.get(step);
    outcome.asked += 1;
    const answer = await ask(asked, id);
    if (answer === undefined) outcome.tooLong += 1;
    else if (answer.finish === 'length') outcome.cut += 1;
    else {
      const checked = asked.check(answer.text);
      if (checked.ok) outcome.good += 1;
      else {
        outcome.reasons.push(checked.reason.slice(0, 90));
        console.error(`${step} ${id}, refused because ${checked.reason}:\n${answer.text}\n`);
      }
    }
    console.error(`${step} ${id}: ${JSON.stringify({ ...outcome, reasons: outcome.reasons.length })}`);
  }
}

printTable(
  `Form of answers, ${options.prompts ?? 'built-in prompts'}${options.grammar ? ', with a grammar' : ''}. ${describeMachine()}`,
  [...outcomes].map(([step, { asked, good, cut, tooLong, reasons }]) => ({
    step,
    asked,
    parseable: good,
    'cut off': cut,
    'prompt too long': tooLong,
    'most frequent problem': (findMostFrequent(reasons) ?? '–').replaceAll('|', '/').replaceAll('\n', ' '),
  })),
);

/** Returns the answer; undefined if the prompt does not fit into the server's context. */
async function ask({ prompt, values: filled, messages, form: root }, seed) {
  const { system, user } = renderPrompt(pack, prompt, filled);
  const body = {
    model: 'any',
    messages: [{ role: 'system', content: system }, ...(messages ?? [{ role: 'user', content: user }])],
    temperature: 0.3,
    max_tokens: Number(options['max-tokens']),
    seed,
    ...(options.grammar ? { grammar: buildGrammar(root) } : {}),
  };
  const response = await fetch(`${options.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(1_200_000),
  });
  if (response.status === 400) return undefined;
  const { choices } = await response.json();
  return { text: choices[0].message.content, finish: choices[0].finish_reason };
}

function findMostFrequent(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted((one, other) => other[1] - one[1])[0]?.[0];
}
