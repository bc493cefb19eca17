import { putFailureAside, supersede } from '../data/artifacts';
import type { RunPlan } from '../data/inputs';
import { restartsFor, restartsOf } from '../rules/generations';
import { ROLE_OF } from '../rules/model-roles';
import type { FailedWork } from '../schemas/outcome';
import type { Restart } from '../schemas/restart';
import type { RunFile } from '../schemas/run';
import { SYNTHESIS_STEPS, type SynthesisStep } from '../schemas/step';
import { writeRunFile, type RunFolder } from './run-folder';

/** What a command has done over. */
export interface PlannedRestarts {
  readonly plan: RunPlan;
  /** Personas that failed without a call to begin at: they go on from the journal, in no new generation. */
  readonly resumed: readonly number[];
  /** What is done over, for a person; none when nothing is. */
  readonly lines: readonly string[];
}

/** What a command wants, but cannot have; the message says what it could. */
export interface Refused {
  readonly problem: string;
}

/**
 * What `cupid retry` does over: what failed, from the call on that gave no usable answer.
 * @param failures as the store keeps them
 * @param wish.only numbers of personas, or ids such as `17/s3` or `cupid-1a2b3c4d/p17/s3`; absent for all that failed
 * @param wish.fromTurn begins with the assistant's answer of this turn, with dialogues only
 * @param wish.model is asked from there on in place of the model that failed
 * @param finished false while a retry may be under way: what is not failed any more is then no mistake
 */
export function planRetry(
  plan: RunPlan,
  failures: readonly FailedWork[][],
  wish: {
    readonly only?: readonly string[] | undefined;
    readonly fromTurn?: number | undefined;
    readonly model?: string | undefined;
  },
  finished: boolean,
): PlannedRestarts | Refused {
  const { id, restarts, settings } = plan.inputs;
  // What was restarted since has not been put aside yet.
  const failed = failures
    .flat()
    .filter(({ persona, generation = 0 }) => generation >= restartsOf(restarts, persona));
  const chosen = new Set<FailedWork>();
  for (const text of wish.only ?? []) {
    const named = placeIn(text, id);
    if (named === undefined || named.persona > settings.nPersonas) return { problem: unknown(text, plan) };
    const found = failed.filter((work) => isIn(named, work));
    if (found.length === 0 && finished) return { problem: notFailed(text, failed) };
    for (const work of found) chosen.add(work);
  }
  const again = wish.only === undefined ? failed : [...chosen];
  const impossible = again.flatMap((work) => turnProblem(work, wish.fromTurn));
  if (impossible.length > 0) return { problem: impossible.join('\n') };
  const places = again.flatMap((work) => placeOf(work, wish));
  if (wish.model !== undefined && again.length > 0 && places.length === 0) {
    return {
      problem:
        '--model: no model was at fault, the work was ended from outside. Leave --model out: it goes on from the journal.',
    };
  }
  const restarted = new Set(places.map(({ persona }) => persona));
  return {
    plan: withRestarts(plan, places),
    resumed: [...new Set(again.map(({ persona }) => persona))].filter((persona) => !restarted.has(persona)),
    lines: shortened(again.map((work) => `Again: ${nameOf(work)}, ${beginningOf(work, wish)}.`)),
  };
}

/**
 * What `cupid synth --redo` does over: the personas of these numbers, from their context factors on.
 * @param wish.redescribe from their description on
 * @param finished false while the same command may be under way: it is then not carried out twice
 */
export function planRedo(
  plan: RunPlan,
  wish: { readonly personas: readonly number[]; readonly redescribe: boolean },
  finished: boolean,
): PlannedRestarts | Refused {
  const { restarts, settings } = plan.inputs;
  const personas = [...new Set(wish.personas)].toSorted((one, other) => one - other);
  const unknownOnes = personas.filter((persona) => persona > settings.nPersonas);
  if (unknownOnes.length > 0) return { problem: unknown(unknownOnes.join(', '), plan) };
  const step: SynthesisStep = wish.redescribe ? 'describe' : 'factors';
  const places = personas.map((persona) => ({ persona, step, turn: 0 }));
  const named = `${personas.length === 1 ? 'Persona' : 'Personas'} ${personas.join(', ')}`;
  if (!finished && endsWith(restarts, places)) {
    const line = `${named}: being made anew already, so the run goes on. Once it is finished, the same command makes them anew once more.`;
    return { plan, resumed: [], lines: [line] };
  }
  const beginning = wish.redescribe ? 'description' : 'context factors';
  return {
    plan: withRestarts(plan, places),
    resumed: [],
    lines: [`${named}: made anew, from the ${beginning} on.`],
  };
}

/**
 * Puts aside what was kept of personas that are done over, so that they are open again. To be called once the plan is kept,
 * by every command: whatever a crash left standing goes now.
 * @param changed true when this command has something done over
 */
export async function reopenPersonas(
  folder: RunFolder<RunFile, RunPlan>,
  { plan, resumed }: Pick<PlannedRestarts, 'plan' | 'resumed'>,
  changed: boolean,
): Promise<void> {
  const { run, store } = folder;
  // Without its counts, and known to no engine: whatever becomes of this command, the next one has it told anew.
  if (changed && run !== undefined) {
    const { counts: _, ...before } = run;
    await writeRunFile(folder, { ...before, state: 'running', codeVersion: 'none' });
  }
  const { restarts } = plan.inputs;
  const personas = new Set(restarts.map(({ persona }) => persona));
  await supersede(store, new Map([...personas].map((persona) => [persona, restartsOf(restarts, persona)])));
  for (const persona of resumed) await putFailureAside(store, persona);
}

/** The persona, and the dialogue, that an id names: `17`, `p17`, `17/s3`, or a workflow's id. */
function placeIn(text: string, run: string): { persona: number; session?: number } | undefined {
  const own = text.startsWith(`${run}/`) ? text.slice(run.length + 1) : text;
  const { persona, session } = /^p?(?<persona>[1-9]\d*)(?:\/s(?<session>[1-9]\d*))?$/.exec(own)?.groups ?? {};
  if (persona === undefined) return undefined;
  return { persona: Number(persona), ...(session === undefined ? {} : { session: Number(session) }) };
}

function unknown(text: string, { inputs }: RunPlan): string {
  return `${text}: run ${inputs.id} has personas 1 to ${inputs.settings.nPersonas}. Name them by their numbers, or a dialogue as 17/s3.`;
}

function isIn({ persona, session }: { persona: number; session?: number }, work: FailedWork): boolean {
  return work.persona === persona && (session === undefined || work.session === session);
}

function notFailed(text: string, failed: readonly FailedWork[]): string {
  if (failed.length === 0) return `${text} did not fail, nor did anything else.`;
  const names = failed.map(({ persona, session }) =>
    session === undefined ? persona : `${persona}/s${session}`,
  );
  const shown = [...new Set(names)].slice(0, 20).join(', ');
  return `${text} did not fail. What failed: ${shown}${names.length > 20 ? ', …' : ''}. A finished persona is made anew by synth --only N --redo.`;
}

/** Why this work cannot begin at that turn. */
function turnProblem(work: FailedWork, fromTurn: number | undefined): string[] {
  if (fromTurn === undefined) return [];
  const { step, turn = 0 } = work;
  const named = `--from-turn ${fromTurn}: ${nameOf(work)}`;
  if (step === undefined) {
    return [`${named} does not tell at which turn it ended. Leave --from-turn out: it goes on where it was.`];
  }
  if (step !== 'assistant' && step !== 'user') {
    return [
      `${named} failed at step ${step}, which has no turns. Leave --from-turn out, or name dialogues by --only.`,
    ];
  }
  return fromTurn > turn ? [`${named} failed at turn ${turn}. Name a turn from 1 to ${turn}.`] : [];
}

/** Where failed work begins again; nowhere when it failed at no call. */
function placeOf(
  work: FailedWork,
  { fromTurn, model }: { readonly fromTurn?: number | undefined; readonly model?: string | undefined },
): Omit<Restart, 'generation'>[] {
  const { persona, session, turn = 0 } = work;
  const step = SYNTHESIS_STEPS.find((one) => one === work.step);
  if (step === undefined) return [];
  const place = {
    persona,
    ...(session === undefined ? {} : { session }),
    ...(model === undefined ? {} : { model: { role: ROLE_OF[step], spec: model } }),
  };
  if (fromTurn !== undefined) return [{ ...place, step: 'assistant', turn: fromTurn }];
  // The turn of a description is the batch's, whose others it is not.
  return [{ ...place, step, turn: step === 'describe' ? 0 : turn }];
}

function withRestarts(plan: RunPlan, places: readonly Omit<Restart, 'generation'>[]): RunPlan {
  if (places.length === 0) return plan;
  const { restarts } = plan.inputs;
  return { ...plan, inputs: { ...plan.inputs, restarts: [...restarts, ...restartsFor(places, restarts)] } };
}

function endsWith(restarts: readonly Restart[], places: readonly Omit<Restart, 'generation'>[]): boolean {
  const last = restarts.slice(-places.length);
  return places.every(({ persona, step }, at) => last[at]?.persona === persona && last[at].step === step);
}

function nameOf({ persona, session }: FailedWork): string {
  return session === undefined ? `persona ${persona}` : `persona ${persona}, session ${session}`;
}

function beginningOf(
  { step, turn = 0 }: FailedWork,
  { fromTurn, model }: { readonly fromTurn?: number | undefined; readonly model?: string | undefined },
): string {
  if (step === undefined) return 'going on from the journal';
  const by = model === undefined ? '' : `, asking ${model}`;
  if (fromTurn !== undefined) return `from turn ${fromTurn} on${by}`;
  if (step === 'user') return `from the user's answer of turn ${turn} on${by}`;
  if (step === 'assistant') return `from turn ${turn} on${by}`;
  return `from step ${step}${step === 'checklist' ? ` ${turn}` : ''} on${by}`;
}

/** As many lines as one reads. */
function shortened(lines: readonly string[]): string[] {
  return lines.length <= 10 ? [...lines] : [...lines.slice(0, 10), `… and ${lines.length - 10} more.`];
}
