import type { JournalEntry } from '../../schemas/run/journal';
import type { PersonaTemplate } from '../../schemas/dataset/persona';
import type { Restart } from '../../schemas/run/restart';
import type { RunInputs } from '../../schemas/run/run';
import type { StepSettings } from '../../schemas/run/settings';
import { SYNTHESIS_STEPS } from '../../schemas/run/step';
import { checkChecklist } from '../../rules/answers/synthesis/checklist';
import { checkDescriptions } from '../../rules/answers/synthesis/describe';
import { checkFactors } from '../../rules/answers/synthesis/factors';
import { checkJourney } from '../../rules/answers/synthesis/journey';
import { checkUserTurn, checkAssistantTurn, type UserTurn } from '../../rules/answers/synthesis/dialogue';
import { isLastAnswer, isSatisfied } from '../../rules/dialogue/ending';
import { buildOpeningMessage } from '../../rules/dialogue/messages';
import type { CheckResult } from '../../rules/answers/form/checks';
import { isCovered, computeRevision, type RestartableCall } from '../../engine/journal/revisions';
import { drawStructure } from '../../rules/journey/structure';
import {
  buildDialogueId,
  buildJournalKey,
  parseStepKey,
  buildPersonaWorkflowId,
  computeSampleStart,
} from '../../engine/journal/key';
import { listDistinctPreferences } from '../../rules/journey/preferences';
import { parseWork } from '../../engine/journal/work';

/** A call without an answer that later calls were built on: it has to be asked again, and so have they. */
export interface JournalGap {
  readonly call: RestartableCall;
  readonly key: string;
}

interface DescribingBatch {
  readonly first: number;
  readonly count: number;
}

/**
 * Follows a persona's answers in the order they were asked for, as its workflow would, and finds where one is missing that others
 * were built on. An answer that is missing at an end is no gap: it is asked for under the same key when the run continues.
 * @param entries the intact entries of the run's workflow, the persona's and its dialogues'
 */
export function findGaps(
  { id, settings, restarts, seeds }: Pick<RunInputs, 'id' | 'settings' | 'restarts' | 'seeds'>,
  persona: PersonaTemplate['id'],
  batch: DescribingBatch,
  entries: readonly JournalEntry[],
): JournalGap[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const asked = entries
    .flatMap(({ key }) => callOf(id, persona, key) ?? [])
    .filter(({ revision, ...call }) => revision === computeRevision(restarts, call));
  const gaps: JournalGap[] = [];

  /** The answer that counts; undefined, and a gap where it is one, when there is none. */
  const find = <T>(
    workflowId: string,
    call: RestartableCall,
    check: (text: string) => CheckResult<T>,
  ): T | undefined => {
    const revision = computeRevision(restarts, call);
    const { step, turn } = call;
    const keyOf = (ask: number) => buildJournalKey({ workflowId, revision, step, turn, ask });
    const found = findAnswer(settings.steps[step], (ask) => byKey.get(keyOf(ask)), check);
    if ('value' in found) return found.value;
    const { missing } = found;
    if (missing === undefined) return undefined;
    const from: Restart = { ...call, persona, turn: step === 'describe' ? 0 : turn, generation: 1 };
    const isBuiltOn = asked.some(
      (other) => isCovered(from, other) && (!isSameCall(call, other) || other.ask > missing),
    );
    if (isBuiltOn) gaps.push({ call, key: keyOf(missing) });
    return undefined;
  };

  const isDescribed =
    seeds.origin === 'personas' ||
    find(id, { persona, step: 'describe', turn: batch.first }, (text) =>
      checkDescriptions(text, { count: batch.count, quality: settings.quality }),
    ) !== undefined;
  if (!isDescribed) return gaps;
  const own = buildPersonaWorkflowId(id, persona);
  const factors = find(own, { persona, step: 'factors', turn: 0 }, (text) => checkFactors(text, settings));
  if (factors === undefined) return gaps;
  const { nSessions, seed } = settings;
  const structure = drawStructure({ nSessions, seed, personaId: persona });
  const journey = find(own, { persona, step: 'journey', turn: 0 }, (text) =>
    checkJourney(text, { structure, factors, quality: settings.quality, taxonomy: settings.taxonomy }),
  );
  if (journey === undefined) return gaps;
  const preferences = listDistinctPreferences(journey.sessions);
  const checklists = preferences.map((_, at) =>
    find(own, { persona, step: 'checklist', turn: at + 1 }, checkChecklist),
  );
  if (checklists.includes(undefined)) return gaps;
  const strict = settings.quality === 'strict';
  for (const session of journey.sessions.slice(0, -1)) {
    const dialogue = buildDialogueId(id, persona, session.id);
    const { preference } = session;
    const opening = buildOpeningMessage(session);
    const checklist = checklists[preferences.indexOf(preference)] ?? [];
    const replies: UserTurn[] = [];
    for (let turn = 1; ; turn += 1) {
      const call = { persona, session: session.id, turn };
      if (find(dialogue, { ...call, step: 'assistant' }, checkAssistantTurn) === undefined) break;
      if (isLastAnswer(settings, replies)) break;
      const selected = replies.map((earlier) => earlier.selected);
      const reply = find(dialogue, { ...call, step: 'user' }, (text) =>
        checkUserTurn(text, strict ? { opening, preference, checklist, selected } : undefined),
      );
      if (reply === undefined || isSatisfied(reply)) break;
      replies.push(reply);
    }
  }
  return gaps;
}

/** The answer that a workflow would accept; else the ask that it would make next, or nothing when it would fail. */
function findAnswer<T>(
  { asks, samples }: StepSettings,
  entryOf: (ask: number) => JournalEntry | undefined,
  check: (text: string) => CheckResult<T>,
): { readonly value: T } | { readonly missing?: number } {
  let doubted: { readonly value: T } | undefined;
  for (let ask = 0; ask < asks * samples; ask += 1) {
    const entry = entryOf(ask);
    if (entry === undefined) {
      const next = computeSampleStart(ask, asks) + asks;
      // A conversation that grew too long with its corrections is left for the next sample.
      if (ask % asks === 0 || entryOf(next) === undefined) return { missing: ask };
      ask = next - 1;
      continue;
    }
    const { text, finish } = entry.answer;
    if (finish === 'refused') return {};
    const checked: CheckResult<T> = finish === 'complete' ? check(text) : { ok: false, reason: 'cut off' };
    if (!checked.ok) continue;
    if (checked.doubt === undefined || doubted !== undefined) return { value: checked.value };
    doubted = { value: checked.value };
  }
  return doubted ?? {};
}

/** A call of this persona, which is among those that a batch describes, by its key. */
function callOf(
  run: string,
  persona: number,
  key: string,
): (RestartableCall & { readonly revision: number; readonly ask: number }) | undefined {
  const parts = parseStepKey(key, SYNTHESIS_STEPS);
  if (parts === undefined || !/^\d+$/.test(parts.turn)) return undefined;
  const work = parseWork(run, parts.workflowId);
  return {
    persona,
    ...(work?.session === undefined ? {} : { session: work.session }),
    step: parts.step,
    turn: Number(parts.turn),
    revision: parts.revision,
    ask: parts.ask,
  };
}

function isSameCall(one: RestartableCall, other: RestartableCall): boolean {
  return one.session === other.session && one.step === other.step && one.turn === other.turn;
}
