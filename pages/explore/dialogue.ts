import { openJournal } from '../../data/run/journal';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import { readUnanswered } from '../../data/run/unanswered-calls';
import type { Store } from '../../data/store/store';
import { buildDialogueId, buildPersonaWorkflowId, parseStepKey } from '../../engine/journal/key';
import { computeRevision, listRevisions } from '../../engine/journal/revisions';
import { checkAssistantTurn, checkUserTurn } from '../../rules/answers/synthesis/dialogue';
import { listSelectedItems } from '../../rules/dialogue/ending';
import { groupBy } from '../../rules/group-by';
import { simulateDialogue } from '../../rules/method/dialogue';
import { type AnswerRules, buildRules, judgeAnswer } from '../../rules/method/judge';
import { synthesizePersona } from '../../rules/method/persona';
import {
  isSameCall,
  listAccepted,
  openAnswers,
  readScript,
  type RecordedAttempt,
} from '../../rules/method/reader';
import type { Call, CallFailure } from '../../rules/method/script';
import { SynthesisAnswers } from '../../rules/method/synthesis-answers';
import { summarizeCalls } from '../../runs/failures/read-failures';
import type { RecordedRun } from '../../runs/synthesize/journal-gaps';
import type { JournalEntry } from '../../schemas/run/journal';
import type { AttemptView, CallCost, DialogueView } from './answers';
import type { OpenSynthesis } from '../../runs/folder/run-folder';

interface DialogueName {
  readonly persona: number;
  readonly session: number;
}

/** Reads the answers of a dialogue, turn by turn: the one in use, bad ones and why, and those that a retry superseded. */
export async function readDialogue(
  store: Store,
  run: RecordedRun,
  name: DialogueName,
): Promise<DialogueView> {
  const { restarts } = run.inputs;
  const { attempts, failures } = await readAttempts(store, run, name);
  const isCurrent = ({ attempt: { call } }: DialogueAttempt) =>
    call.revision === computeRevision(restarts, { ...name, step: call.step, turn: call.turn });
  const current = new Set(attempts.filter(isCurrent));
  const used = new Set(
    listAccepted([...current]).filter(
      ({ attempt }) => !failures.some(({ call }) => isSameCall(attempt.call, call)),
    ),
  );
  const describe = (own: readonly DialogueAttempt[], step: DialogueCall['step']) =>
    own
      .filter(({ attempt }) => attempt.call.step === step)
      .map((one) => describeAttempt(one, used.has(one) ? 'used' : current.has(one) ? 'bad' : 'superseded'));
  const turns = groupBy(attempts, ({ attempt }) => attempt.call.turn);
  return {
    turns: [...turns].map(([turn, own]) => ({
      turn,
      assistant: describe(own, 'assistant'),
      user: describe(own, 'user'),
    })),
  };
}

interface DialogueCall extends Call {
  readonly step: 'assistant' | 'user';
  readonly turn: number;
}

interface DialogueAttempt extends RecordedAttempt<DialogueCall> {
  readonly entry: JournalEntry;
}

/** Reads every answer of a dialogue in order of turns, revisions and attempts, and the failed calls of the last revision. */
async function readAttempts(
  store: Store,
  { inputs, templates }: RecordedRun,
  { persona, session }: DialogueName,
): Promise<{ readonly attempts: DialogueAttempt[]; readonly failures: readonly CallFailure[] }> {
  const { id, settings, restarts } = inputs;
  const journal = openJournal(store);
  const planned = await journal.inspect(buildPersonaWorkflowId(id, persona));
  const own = await journal.inspect(buildDialogueId(id, persona, session));
  const byKey = new Map([...planned.entries, ...own.entries].map((entry) => [entry.key, entry]));
  const recorded = {
    find: async (key: string) => byKey.get(key),
    findUnanswered: async (key: string) => readUnanswered(store, key),
  };
  const described = new Map(templates.map((template) => [template.id, template]));
  const answers = new SynthesisAnswers({ id, settings, templates: described }, openAnswers(recorded));
  const simulate: typeof simulateDialogue = function* (of, refs) {
    return refs.session === session ? yield* simulateDialogue(of, refs) : { turns: [] };
  };
  const judged = new Map<string | undefined, RecordedAttempt>();
  let failures: readonly CallFailure[] = [];
  for (const followed of listRevisions(restarts, persona)) {
    const script = synthesizePersona(
      { run: id, settings, restarts: followed },
      { persona, described: NONE },
      simulate,
    );
    const reading = await readScript(script, answers, recorded);
    for (const one of reading.attempts) judged.set(one.entry?.key, one);
    ({ failures } = reading);
  }
  const attempts = own.entries.flatMap((entry): DialogueAttempt[] => {
    const key = parseStepKey(entry.key, ['assistant', 'user']);
    if (key === undefined) return [];
    const { attempt, ...call } = { ...key, turn: Number(key.turn) };
    // The scripts stop before an answer that follows a damaged or missing one, so only its form is judged.
    const rules: AnswerRules =
      key.step === 'user' ? buildRules((text) => checkUserTurn(text)) : buildRules(checkAssistantTurn);
    const { maxTokens } = settings.steps[key.step];
    const answer = judged.get(entry.key) ?? judgeAnswer(entry, key, rules, maxTokens);
    return [{ ...answer, attempt: { call, number: attempt }, entry }];
  });
  return { attempts: attempts.toSorted(compareAttempts), failures };
}

/** A placeholder, because no answer is judged by its persona's description. */
const NONE = { first: 0, count: 0, ref: '' };

function compareAttempts({ attempt: one }: DialogueAttempt, { attempt: other }: DialogueAttempt): number {
  return (
    one.call.turn - other.call.turn || one.call.revision - other.call.revision || one.number - other.number
  );
}

function describeAttempt(
  { attempt: { call }, entry, outcome, problem }: DialogueAttempt,
  verdict: AttemptView['verdict'],
): AttemptView {
  const { spec, answer, milliseconds } = entry;
  const { text, raw = text, usage } = answer;
  const isUsable = outcome.state === 'good' || outcome.state === 'doubtful';
  return {
    verdict,
    ...(problem === undefined ? {} : { problem }),
    // The reason for a rejection may be in the part that was cut off.
    text: verdict === 'used' ? text : raw,
    model: spec,
    milliseconds,
    tokens: { input: usage.input ?? null, output: usage.output ?? null },
    ...(call.step === 'user' && isUsable ? describeReply(text) : {}),
  };
}

function describeReply(text: string): Partial<AttemptView> {
  const reply = checkUserTurn(text);
  if (!reply.ok) return {};
  const { score, decision, selected } = reply.value;
  return { score, decision, raised: listSelectedItems(selected) };
}

/** Sums tokens and cost of all calls of a persona, including those of its dialogues. */
export async function readPersonaCost(
  { folder: { store }, plan: { inputs } }: OpenSynthesis,
  persona: number,
): Promise<CallCost> {
  const journal = openJournal(store);
  const sessions = Array.from({ length: inputs.settings.nSessions }, (_, at) => at + 1);
  const ids = [
    buildPersonaWorkflowId(inputs.id, persona),
    ...sessions.map((session) => buildDialogueId(inputs.id, persona, session)),
  ];
  const inspected = await Promise.all(ids.map((id) => journal.inspect(id)));
  const table = buildModelTable(await readSteering(store));
  return summarizeCalls(
    inspected.flatMap(({ entries }) => entries),
    table,
  ).cost;
}
