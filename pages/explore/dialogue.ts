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
  const usedAttempts = new Set(
    listAccepted([...current]).filter(
      ({ attempt }) => !failures.some(({ call }) => isSameCall(attempt.call, call)),
    ),
  );
  const describe = (turnAttempts: readonly DialogueAttempt[], step: DialogueCall['step']) =>
    turnAttempts
      .filter(({ attempt }) => attempt.call.step === step)
      .map((attempt) =>
        describeAttempt(
          attempt,
          usedAttempts.has(attempt) ? 'used' : current.has(attempt) ? 'bad' : 'superseded',
        ),
      );
  const turns = groupBy(attempts, ({ attempt }) => attempt.call.turn);
  return {
    turns: [...turns].map(([turn, turnAttempts]) => ({
      turn,
      assistant: describe(turnAttempts, 'assistant'),
      user: describe(turnAttempts, 'user'),
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
  const personaJournal = await journal.inspect(buildPersonaWorkflowId(id, persona));
  const dialogueJournal = await journal.inspect(buildDialogueId(id, persona, session));
  const byKey = new Map(
    [...personaJournal.entries, ...dialogueJournal.entries].map((entry) => [entry.key, entry]),
  );
  const recorded = {
    find: async (key: string) => byKey.get(key),
    findUnanswered: async (key: string) => readUnanswered(store, key),
  };
  const described = new Map(templates.map((template) => [template.id, template]));
  const answers = new SynthesisAnswers({ id, settings, templates: described }, openAnswers(recorded));
  const simulate: typeof simulateDialogue = function* (plan, refs) {
    return refs.session === session ? yield* simulateDialogue(plan, refs) : { turns: [] };
  };
  const judgedAttempts = new Map<string | undefined, RecordedAttempt>();
  let failures: readonly CallFailure[] = [];
  for (const revisionRestarts of listRevisions(restarts, persona)) {
    const script = synthesizePersona(
      { run: id, settings, restarts: revisionRestarts },
      { persona, described: NONE },
      simulate,
    );
    const reading = await readScript(script, answers, recorded);
    for (const attempt of reading.attempts) judgedAttempts.set(attempt.entry?.key, attempt);
    ({ failures } = reading);
  }
  const attempts = dialogueJournal.entries.flatMap((entry): DialogueAttempt[] => {
    const key = parseStepKey(entry.key, ['assistant', 'user']);
    if (key === undefined) return [];
    const { attempt, ...call } = { ...key, turn: Number(key.turn) };
    // The scripts stop before an answer that follows a damaged or missing one, so only its form is judged.
    const rules: AnswerRules =
      key.step === 'user' ? buildRules((text) => checkUserTurn(text)) : buildRules(checkAssistantTurn);
    const { maxTokens } = settings.steps[key.step];
    const answer = judgedAttempts.get(entry.key) ?? judgeAnswer(entry, key, rules, maxTokens);
    return [{ ...answer, attempt: { call, number: attempt }, entry }];
  });
  return { attempts: attempts.toSorted(compareAttempts), failures };
}

/** A placeholder, because no answer is judged by its persona's description. */
const NONE = { first: 0, count: 0, ref: '' };

function compareAttempts({ attempt: a }: DialogueAttempt, { attempt: b }: DialogueAttempt): number {
  return a.call.turn - b.call.turn || a.call.revision - b.call.revision || a.number - b.number;
}

function describeAttempt(
  { attempt: { call }, entry, outcome, problem }: DialogueAttempt,
  verdict: AttemptView['verdict'],
): AttemptView {
  const { spec, answer, durationMs } = entry;
  const { text, raw = text, usage } = answer;
  const isUsable = outcome.state === 'good' || outcome.state === 'doubtful';
  return {
    verdict,
    ...(problem === undefined ? {} : { problem }),
    // The reason for a rejection may be in the part that was cut off.
    text: verdict === 'used' ? text : raw,
    model: spec,
    durationMs,
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
