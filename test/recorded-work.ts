import { buildRequest } from '../activities/ask-model';
import { buildQuestion } from '../activities/synthesis/questions';
import { renderEntry } from '../data/run/journal';
import type { RunPlan } from '../data/run/inputs';
import { buildWorkId, type SynthesisWork } from '../engine/journal/key';
import { ModelError } from '../models/errors/error';
import type { ModelRequest } from '../models/model';
import { openSimulatedModel } from '../models/simulated/model';
import { describePersonas, synthesizePersona } from '../rules/method/persona';
import { explainFailure, openAnswers, readScript, type RecordedAttempt } from '../rules/method/reader';
import { CallsFailed, followScript, type CallFailure, type Script } from '../rules/method/script';
import { SynthesisAnswers } from '../rules/method/synthesis-answers';
import type { SynthesisCall } from '../rules/method/synthesis-calls';
import { buildJournalEntry } from './journal-entry';
import { planRun, readRunRequest } from '../runs/synthesize/inputs';
import { FOLDER_FORMAT } from '../schemas/run/folder-format';
import { bundleSchema, type Bundle } from '../schemas/run/bundle';
import type { JournalEntry } from '../schemas/run/journal';
import { parseModelSpec } from '../schemas/model/model-spec';
import type { Unanswered } from '../schemas/run/outcome';
import { synthesisSettingsSchema } from '../schemas/run/settings';

const MODEL = 'simulated:default';
const model = openSimulatedModel(parseModelSpec(MODEL));

/** A request, with its call. */
type AskedRequest = ModelRequest & { readonly call: SynthesisCall };

/** Persona 1 of a run, as recorded in its journal. */
export interface RecordedPersona {
  readonly plan: RunPlan;
  readonly entries: ReadonlyMap<string, JournalEntry>;
  /** Builds a bundle as a run writes it: of a dialogue, of the persona, or of the run that describes it. */
  bundle(work: SynthesisWork, changeEntry?: (entry: JournalEntry) => JournalEntry | undefined): Bundle;
}

/**
 * Records a persona as a run does, in memory.
 * @param answer returns an answer in place of the simulated one, or throws a ModelError
 */
export async function recordPersona(
  answer: (request: AskedRequest) => string | undefined = () => undefined,
  changePlan: (plan: RunPlan) => RunPlan = (plan) => plan,
): Promise<RecordedPersona> {
  const settingsOfRun = synthesisSettingsSchema.parse({
    nPersonas: 2,
    nSessions: 9,
    maxTurns: 4,
    describeBatch: 2,
    models: { synthesis: MODEL, user: MODEL, assistant: MODEL },
    steps: { user: { maxRepairs: 1, maxSamples: 2 } },
  });
  const plan = changePlan(await planRun(await readRunRequest(settingsOfRun, {})));
  const entries = new Map<string, JournalEntry>();
  const unanswered: Record<string, Unanswered> = {};
  const recorded = {
    find: async (key: string) => entries.get(key),
    findUnanswered: async (key: string) => unanswered[key],
  };
  const run = {
    ...plan,
    id: plan.inputs.id,
    settings: plan.inputs.settings,
    templates: new Map(plan.templates.map((template) => [template.id, template])),
    journal: { get: async (key: string) => present(entries.get(key)) },
  };
  const answers = new SynthesisAnswers(run, openAnswers(recorded));
  function* script(): Script<unknown, SynthesisCall> {
    const described = yield* describePersonas({ run: run.id, ...run }, { first: 1, count: 2 });
    return yield* synthesizePersona({ run: run.id, ...run }, { persona: 1, described });
  }
  try {
    await followScript(script(), async (attempt) => {
      const { call } = attempt;
      const question = await buildQuestion({ run, answers }, call);
      const { asked, key, request, settings } = await buildRequest(run, attempt, question);
      try {
        const said = answer({ ...asked, call });
        const simulated = await model.ask(asked, new AbortController().signal);
        const text = said ?? simulated.text;
        const entry = { ...buildJournalEntry(key, { ...simulated, text }), request, settings };
        entries.set(key, entry);
        return (await answers.judge(attempt, entry)).outcome;
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        unanswered[key] = { kind: error.kind, cause: error.message };
        return { state: 'unanswered', kind: error.kind };
      }
    });
  } catch (error) {
    if (!(error instanceof CallsFailed)) throw error;
  }
  const reading = await readScript(script(), answers, recorded);
  return {
    plan,
    entries,
    bundle(work, changeEntry = (entry) => entry) {
      const id = buildWorkId(run.id, work);
      const owners = new Set([run.id, buildWorkId(run.id, { persona: 1 }), id]);
      const failure = reading.failures.find(({ call }) => call.workflowId === id);
      const kept = [...entries.values()].filter(({ key }) => owners.has(key.split('#')[0] ?? ''));
      return bundleSchema.parse({
        format: FOLDER_FORMAT,
        work,
        ...(failure && { failure: explain(id, work, failure, reading.attempts) }),
        simulated: true,
        versions: { program: '0', code: '0' },
        inputs: plan.inputs,
        prompts: plan.prompts,
        templates: plan.templates,
        entries: renderEntries(kept.flatMap((entry) => changeEntry(entry) ?? [])),
        unansweredCalls: unanswered,
        missingParts: [],
      });
    },
  };
}

function explain(
  workflowId: string,
  work: SynthesisWork,
  failure: CallFailure,
  attempts: readonly RecordedAttempt[],
): object {
  const { call, kind } = failure;
  const { step, turn } = call;
  return { workflowId, persona: 1, ...work, step, turn, kind, ...explainFailure(failure, attempts) };
}

/** Converts entries to their form in bundles. */
export function renderEntries(entries: readonly JournalEntry[]): unknown[] {
  return entries.map((entry) => JSON.parse(renderEntry(entry)) as unknown);
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is none.');
  return value;
}
