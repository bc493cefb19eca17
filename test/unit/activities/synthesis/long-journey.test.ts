import { buildRequest } from '../../../../activities/ask-model';
import { buildQuestion } from '../../../../activities/synthesis/questions';
import { listSynthesisPrompts } from '../../../../data/prompts/files';
import { loadPromptPack } from '../../../../data/prompts/load';
import { readSessions } from '../../../../rules/answers/synthesis/journey';
import { describePersonas, synthesizePersona } from '../../../../rules/method/persona';
import { openAnswers } from '../../../../rules/method/reader';
import { all, followScript, type Attempt, type Script } from '../../../../rules/method/script';
import { SynthesisAnswers } from '../../../../rules/method/synthesis-answers';
import type {
  DialogueRefs,
  SynthesisCall,
  SynthesisScriptPlan,
} from '../../../../rules/method/synthesis-calls';
import { listJourneyProblems } from '../../../../rules/quality/journey';
import type { JournalEntry } from '../../../../schemas/run/journal';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { openQuestionReader } from '../../../stand-in/question';
import { buildJournalEntry } from '../../../journal-entry';
import { ask, openSimulated, sampleTemplate } from '../../models/simulated/persona';

const RUN = 'r';
const MODEL = 'simulated:default';
const PERSONA = 4;

/** Plans the journey of a persona with a simulated model, through the requests and rules of a run. */
async function planJourney(nSessions: number, nFactors = 8) {
  const settings = synthesisSettingsSchema.parse({
    nSessions,
    nFactors,
    quality: 'strict',
    models: { synthesis: MODEL, user: MODEL, assistant: MODEL },
  });
  const entries = new Map<string, JournalEntry>();
  const find = async (key: string) => entries.get(key);
  const get = async (key: string) => {
    const entry = await find(key);
    if (entry === undefined) throw new Error(`There is no ${key}.`);
    return entry;
  };
  const run = {
    id: RUN,
    settings,
    prompts: await loadPromptPack(undefined, listSynthesisPrompts(nSessions)),
    templates: new Map([[PERSONA, sampleTemplate(PERSONA)]]),
    journal: { get },
  };
  const answers = new SynthesisAnswers(run, openAnswers({ find }));
  const model = openSimulated();
  const asked: { key: string; system: string; text: string; values: Readonly<Record<string, string>> }[] = [];
  const answer = async (attempt: Attempt<SynthesisCall>) => {
    const question = await buildQuestion({ run, answers }, attempt.call);
    const { key, asked: request } = await buildRequest(run, attempt, question);
    const entry = buildJournalEntry(key, await ask(model, request));
    entries.set(key, entry);
    const { system, messages, values } = request;
    if (attempt.call.step === 'journey')
      asked.push({ key, system, text: messages[0]?.content ?? '', values });
    return (await answers.judge(attempt, entry)).outcome;
  };
  const plan: SynthesisScriptPlan = { run: RUN, settings };
  const described = await followScript(describePersonas(plan, { first: PERSONA, count: 1 }), answer);
  const script = synthesizePersona(plan, { persona: PERSONA, described }, skipDialogue);
  const refs = await followScript(script, answer);
  const { sessions } = await answers.readJourney(refs);
  const factors = await answers.readFactors(refs);
  return { asked, sessions, factors, structure: answers.getStructure(PERSONA) };
}

/** Ends a dialogue before its first turn. */
function* skipDialogue(): Script<DialogueRefs, SynthesisCall> {
  yield* all<never, SynthesisCall>([]);
  return { turns: [] };
}

test.each([
  [60, 8],
  [60, 24],
  [21, 3],
  [100, 8],
])(
  'a journey of %i sessions about %i factors keeps the rules of a journey as a whole',
  async (nSessions, nFactors) => {
    const { sessions, factors, structure } = await planJourney(nSessions, nFactors);
    expect(sessions.map(({ id }) => id)).toEqual(structure.map((_, at) => at + 1));
    expect(listJourneyProblems(sessions, factors)).toEqual([]);
    const read = readSessions(sessions, { structure, factors, quality: 'reference' });
    expect(read).toEqual({ sessions, problems: [] });
  },
);

test('each part is asked for with what was planned before it, and with the changed preference once there is one', async () => {
  const { asked, sessions, structure } = await planJourney(60);
  const firsts = asked.filter(({ key }) => key.endsWith('.a0'));
  expect(firsts.map(({ key }) => key)).toEqual(
    [1, 2, 3, 4, 5].map((part) => `${RUN}/p${PERSONA}#r0.journey.t${part}.a0`),
  );
  const changed = structure.indexOf("A'");
  const readQuestion = await openQuestionReader();
  for (const [at, { system, text, values }] of firsts.entries()) {
    const [first, last] = [12 * at + 1, 12 * at + 12];
    expect(text).toContain(`Write the scenarios with the IDs ${first} to ${last}, and no others.`);
    const lines = (values['earlier_sessions'] ?? '').split('\n');
    if (at > 0) expect(lines).toHaveLength(12 * at);
    for (const [index, line] of lines.entries())
      if (at > 0) expect(line).toContain(`${index + 1}. ${sessions[index]?.context_factor}`);
    const isKnown = changed < first - 1;
    expect(values['changed_preference']).toBe(isKnown ? sessions[changed]?.preference : 'not written yet');
    // The stand-in recognizes the request by its text alone.
    expect(readQuestion(system, [{ role: 'user', content: text }])).toMatchObject({
      step: 'journey',
      values,
    });
  }
});

test('a journey in one answer is asked for as ever', async () => {
  const { asked } = await planJourney(20);
  expect(asked.map(({ key }) => key)).toEqual([`${RUN}/p${PERSONA}#r0.journey.t0.a0`]);
  expect(asked[0]?.text).not.toContain('## Your answer');
});
