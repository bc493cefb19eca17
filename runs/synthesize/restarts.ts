import { formatNumber, pluralize, formatFirst } from '../../schemas/text/count-text';
import { supersedeFailure, supersedePersonas } from '../../data/run/artifacts';
import type { RunPlan } from '../../data/run/inputs';
import { openJournal, type DamagedEntry } from '../../data/run/journal';
import { isWholePack } from '../../data/run/journal-packs';
import { ANSWER_CHANGED, isDamage } from '../../engine/journal/failed-work';
import { isCovered, buildRestarts, countRestarts } from '../../engine/journal/revisions';
import { parseWork } from '../../engine/journal/work';
import { ROLE_OF } from '../../engine/model-facts/roles';
import { InputError } from '../../schemas/input-error';
import type { FailedWork } from '../../schemas/run/outcome';
import type { Restart } from '../../schemas/run/restart';
import type { RunFile } from '../../schemas/run/run';
import { formatCallNumber, SYNTHESIS_STEPS, type SynthesisStep } from '../../schemas/run/step';
import { MODEL_ROLES, type ModelRole } from '../../schemas/model/model-role';
import type { JournalCheck } from './journal-check';
import { describeCheck, describeDamage } from '../plan/inspect-journal';
import { writeRunFile, type RunFolder } from '../folder/run-folder';
import { omitUndefined } from '../../schemas/omit-undefined';

export interface PlannedRestarts {
  readonly plan: RunPlan;
  /** Personas that failed at no call: they continue from the journal, in no new revision. */
  readonly resumed: readonly number[];
  /** Restarted work, as text for the user; empty when there is none. */
  readonly lines: readonly string[];
  /** Entries to move out of the journal; present when the journal was checked, so that the run continues from it alone. */
  readonly damaged?: readonly DamagedEntry[];
}

export interface RetryRequest {
  /** Numbers of personas, or ids such as `17/s3` or `cupid-1a2b3c4d/p17/s3`; absent for all that failed. */
  readonly only?: readonly string[] | undefined;
  /** Turn with whose assistant's answer dialogues begin, unless they failed before it. */
  readonly fromTurn?: number | undefined;
  /** SPEC that is called from there on in place of the model that failed. */
  readonly model?: string | undefined;
}

/**
 * Plans what `cupid retry` does over: what failed, from the call on that gave no usable answer. What failed because of the journal is
 * left for `planRepair`.
 * @param failures as the store keeps them
 * @param finished false while a retry may be in progress, so that work that no longer counts as failed is no mistake
 * @throws InputError when that is impossible; the message says what is possible
 */
export function planRetry(
  plan: RunPlan,
  failures: readonly FailedWork[][],
  { only, fromTurn, model }: RetryRequest,
  finished: boolean,
): PlannedRestarts {
  const { id, restarts, settings } = plan.inputs;
  const failed = listFailedSince(failures, restarts);
  const chosen = new Set<FailedWork>();
  for (const text of only ?? []) {
    const { persona = 0, session } = parseWork(id, text) ?? {};
    if (persona < 1 || persona > settings.nPersonas)
      throw new InputError(
        `${formatUnknown(text, plan)} Name a persona by its number, or a dialogue as 17/s3.`,
      );
    const chosenWork = failed.filter(
      (work) => work.persona === persona && (session === undefined || work.session === session),
    );
    if (chosenWork.length === 0 && finished) throw new InputError(formatNotFailed(text, failed));
    for (const work of chosenWork) chosen.add(work);
  }
  const retriedWork = only === undefined ? failed : [...chosen];
  const damaged = retriedWork.filter(isDamage);
  const again = retriedWork.filter((work) => !isDamage(work));
  if (damaged.length > 0 && again.length === 0) {
    throw new InputError(
      `${damaged.map(formatWorkName).join('; ')} failed because the journal is damaged. Run cupid retry RUN --damaged: it finds the damage and calls the model again from there.`,
    );
  }
  const beginnings = again.map((work) => ({ work, place: findRestartPlace(work, fromTurn, model) }));
  const places = beginnings.flatMap(({ place }) => place ?? []);
  if (model !== undefined && again.length > 0 && places.length === 0) {
    throw new InputError(
      '--model cannot be used: the work did not fail at a model call, but was terminated. Remove --model: the work continues from the journal.',
    );
  }
  return {
    ...restartAt(plan, places, again),
    lines: [
      ...shortenLines(
        beginnings.map(
          ({ work, place }) => `Retrying ${formatWorkName(work)}, ${describeBeginning(place, fromTurn)}.`,
        ),
      ),
      ...(model === undefined ? [] : describeReplacement(model, places, settings.models)),
      ...damaged.map(
        (work) =>
          `Not retrying ${formatWorkName(work)}: the journal is damaged there. When this command is done, run cupid retry RUN --damaged.`,
      ),
    ],
  };
}

/** Says which roles another model takes over, and how the others get another one. */
function describeReplacement(
  spec: string,
  places: readonly RestartPlace[],
  models: Readonly<Record<ModelRole, string>>,
): string[] {
  const replaced = new Set(places.flatMap(({ model }) => model?.role ?? []));
  const unchangedRoles = MODEL_ROLES.filter((role) => !replaced.has(role));
  if (replaced.size === 0 || unchangedRoles.length === 0) return [];
  const roles = MODEL_ROLES.filter((role) => replaced.has(role)).map((role) => ROLE_NAMES[role]);
  const unchangedModels = unchangedRoles.map((role) => `${ROLE_NAMES[role]} (${models[role]})`);
  return [
    `In the retried work, ${spec} replaces only the model that failed (${roles.join(', ')}). The others stay: ${unchangedModels.join(', ')}. If one of these fails as well, retry it with --model, too; to change them from the start, begin a run in another --output-dir.`,
  ];
}

/** Roles of models, with the option that names each. */
const ROLE_NAMES: Readonly<Record<ModelRole, string>> = {
  synthesis: '--model',
  user: '--user-model',
  assistant: '--assistant-model',
};

/** Lists the failures that no later restart has superseded. */
function listFailedSince(failures: readonly FailedWork[][], restarts: readonly Restart[]): FailedWork[] {
  return failures.flat().filter(({ persona, revision = 0 }) => revision >= countRestarts(restarts, persona));
}

/**
 * Plans what `cupid retry --damaged` does over: the calls whose answers are damaged or missing, and what was built on them. Personas
 * that failed of the damage, and have nothing to be asked again, continue from the journal.
 */
export function planRepair(
  plan: RunPlan,
  { entries, damaged, gaps }: JournalCheck,
  failures: readonly FailedWork[][],
): PlannedRestarts {
  const failed = listFailedSince(failures, plan.inputs.restarts).filter(isDamage);
  const changed = failed.filter(({ kind }) => kind === ANSWER_CHANGED);
  const places = keepOutermost([
    ...gaps.map(({ call }) => call),
    ...changed.flatMap((work) => findRestartPlace(work) ?? []),
  ]);
  const damagedKeys = new Set(damaged.map(({ key }) => key));
  const gapKeys = new Set(gaps.map(({ key }) => key));
  const explainRepair = (key: string) => {
    if (isWholePack(key))
      return 'None of its answers can be read; those that unfinished work needs are listed as missing.';
    return gapKeys.has(key) ? BUILT_ON : NOT_BUILT_ON;
  };
  const lostKeys = [...gapKeys].filter((key) => !damagedKeys.has(key));
  return {
    ...restartAt(plan, places, failed),
    lines: [
      ...damaged.map((entry) => describeDamage(entry, explainRepair(entry.key))),
      ...lostKeys.map((key) => `Missing: ${key}. ${BUILT_ON}`),
      ...changed.map(
        (work) =>
          `Changed: an earlier answer of ${formatWorkName(work)}. Continuing ${describeBeginning(findRestartPlace(work))}.`,
      ),
      describeCheck(entries, damaged.length, lostKeys.length),
    ],
    damaged,
  };
}

const BUILT_ON = 'The call and everything built on its answer are repeated.';
const NOT_BUILT_ON = 'No unfinished work was built on its answer, so at most this call is repeated.';

/** Returns the places that no other one covers. */
function keepOutermost(places: readonly RestartPlace[]): RestartPlace[] {
  return places.filter(
    (place, at) =>
      !places.some((outer, otherAt) => {
        const covering = isCovered(outer, place);
        const covered = isCovered(place, outer);
        // The first of two places with the same call stays.
        return otherAt !== at && covering && (!covered || otherAt < at);
      }),
  );
}

type RestartPlace = Omit<Restart, 'revision'>;

/**
 * Plans the revisions of `cupid synth --regenerate`: the personas of these numbers, from their context factors on.
 * @param wish.redescribe from their description on
 * @param finished false while the same command may be in progress, so that it is not executed twice
 */
export function planRegeneration(
  plan: RunPlan,
  wish: { readonly personas: readonly number[]; readonly redescribe: boolean },
  finished: boolean,
): PlannedRestarts {
  const { restarts } = plan.inputs;
  const personas = [...new Set(wish.personas)].toSorted((a, b) => a - b);
  const step: SynthesisStep = wish.redescribe ? 'describe' : 'factors';
  const places = personas.map((persona) => ({ persona, step, turn: 0 }));
  const subject = `${pluralize(personas.length, 'Persona')} ${personas.join(', ')}`;
  const them = pluralize(personas.length, 'it', 'them');
  if (!finished && hasSuffix(restarts, places)) {
    const line = `${subject}: already being generated again, so the run continues. To generate ${them} once more, repeat this command when the run has finished.`;
    return { plan, resumed: [], lines: [line] };
  }
  const beginning = wish.redescribe ? 'description' : 'context factors';
  return {
    ...restartAt(plan, places, []),
    lines: [
      `${subject}: generating ${them} again from the ${beginning}. The old ${pluralize(personas.length, 'record stays', 'records stay')} in the data until the new one is complete.`,
    ],
  };
}

/**
 * Supersedes the stored results of restarted personas, so that they are open again. Every command calls it once the plan is stored, because
 * a crash may have left some.
 * @param changed true if this command restarts something
 */
export async function reopenPersonas(
  folder: RunFolder<RunFile, RunPlan>,
  { plan, resumed, damaged = [] }: Pick<PlannedRestarts, 'plan' | 'resumed' | 'damaged'>,
  changed: boolean,
): Promise<void> {
  const { run, store } = folder;
  // The counts are removed, and no engine knows the run, so the next command reports it even if this one crashes.
  if (changed && run !== undefined) {
    const { counts: _, ...before } = run;
    await writeRunFile(folder, { ...before, state: 'running', codeVersion: 'none' });
  }
  await supersedePersonas(store, plan.inputs.restarts);
  for (const persona of resumed) await supersedeFailure(store, persona);
  await openJournal(store).setAside(damaged);
}

/** Formats that a run does not have what the user named. */
export function formatUnknown(text: string, { inputs }: RunPlan): string {
  return `${text}: run ${inputs.id} has personas 1 to ${inputs.settings.nPersonas}.`;
}

function formatNotFailed(text: string, failed: readonly FailedWork[]): string {
  if (failed.length === 0) return `${text} did not fail, and nothing else failed.`;
  const names = failed.map(({ persona, session }) =>
    session === undefined ? persona : `${persona}/s${session}`,
  );
  return `${text} did not fail. What failed: ${formatFirst([...new Set(names)], 20)}. To generate a finished persona again, use synth --only N --regenerate.`;
}

/** Finds the place where failed work begins again; undefined when it failed at no call. */
function findRestartPlace(
  { persona, session, turn = 0, ...work }: FailedWork,
  fromTurn?: number,
  model?: string,
): RestartPlace | undefined {
  const step = SYNTHESIS_STEPS.find((name) => name === work.step);
  if (step === undefined) return undefined;
  const place = {
    persona,
    ...omitUndefined({
      session,
      model: model === undefined ? undefined : { role: ROLE_OF[step], spec: model },
    }),
  };
  const isReached = fromTurn !== undefined && session !== undefined && fromTurn <= turn;
  return isReached ? { ...place, step: 'assistant', turn: fromTurn } : { ...place, step, turn };
}

/** Restarts work at these places. Failed work of other personas continues from the journal. */
function restartAt(
  plan: RunPlan,
  places: readonly RestartPlace[],
  failed: readonly FailedWork[],
): Pick<PlannedRestarts, 'plan' | 'resumed'> {
  const { inputs } = plan;
  const restarts = [...inputs.restarts, ...buildRestarts(places, inputs.restarts)];
  const restarted = new Set(places.map(({ persona }) => persona));
  const resumed = failed.map(({ persona }) => persona).filter((persona) => !restarted.has(persona));
  return {
    plan: places.length === 0 ? plan : { ...plan, inputs: { ...inputs, restarts } },
    resumed: [...new Set(resumed)],
  };
}

function hasSuffix(restarts: readonly Restart[], places: readonly RestartPlace[]): boolean {
  const last = restarts.slice(-places.length);
  return places.every(({ persona, step }, at) => last[at]?.persona === persona && last[at].step === step);
}

function formatWorkName({ persona, session }: FailedWork): string {
  return session === undefined ? `persona ${persona}` : `persona ${persona}, session ${session}`;
}

/** Describes where work begins again. @param fromTurn the turn that the user named, where it may not begin */
function describeBeginning(place: RestartPlace | undefined, fromTurn?: number): string {
  if (place === undefined) return 'continuing from the journal';
  const { step, turn, model } = place;
  const isNamed = fromTurn === undefined || (step === 'assistant' && turn === fromTurn);
  const end = `${isNamed ? '' : ', where it failed'}${model === undefined ? '' : `, with ${model.spec}`}`;
  if (step === 'user') return `from the user's answer of turn ${turn}${end}`;
  if (step === 'assistant') return `from turn ${turn}${end}`;
  return `from step ${step}${formatCallNumber(step, turn)}${end}`;
}

/** Leaves as many lines as one reads. */
function shortenLines(lines: readonly string[]): string[] {
  return lines.length <= 10
    ? [...lines]
    : [...lines.slice(0, 10), `… and ${formatNumber(lines.length - 10)} more.`];
}
