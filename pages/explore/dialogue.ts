import { findStoredPersona, readFailedPersonas } from '../../data/run/artifacts';
import { openJournal } from '../../data/run/journal';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import { buildDialogueId, buildPersonaWorkflowId, parseJournalKey } from '../../engine/journal/key';
import { computeRevision } from '../../engine/journal/revisions';
import type { CheckResult } from '../../rules/answers/form/checks';
import { checkAssistantTurn, checkUserTurn, type UserTurn } from '../../rules/answers/synthesis/dialogue';
import { buildOpeningMessage } from '../../rules/dialogue/messages';
import { listSelectedItems } from '../../rules/dialogue/ending';
import { groupBy } from '../../rules/group-by';
import { summarizeCalls } from '../../runs/failures/read-failures';
import type { Session } from '../../schemas/dataset/session';
import type { JournalEntry } from '../../schemas/run/journal';
import type { AttemptView, CallCost, DialogueView, TurnView } from './answers';
import type { SynthesisRun } from './sources';

/**
 * The answers that a dialogue was made with, turn by turn: the one that counts, those that broke their rules and why, and those that a
 * retry superseded. What is wrong with an answer is found by the check that rejected it.
 */
export async function readDialogue(
  { folder: { store }, plan: { inputs } }: SynthesisRun,
  { persona, session: number }: { readonly persona: number; readonly session: number },
): Promise<DialogueView> {
  const { entries } = await openJournal(store).inspect(buildDialogueId(inputs.id, persona, number));
  const stored = await findStoredPersona(store, persona);
  const failed = (await readFailedPersonas(store))
    .flat()
    .find((work) => work.persona === persona && work.session === number);
  const session = stored?.record.sessions.find(({ id }) => id === number);
  const calls = entries.flatMap((entry) => {
    const key = parseJournalKey(entry.key);
    return key === undefined ? [] : [{ entry, ...key, turn: Number(key.turn) }];
  });
  const selected: string[] = [];
  const turns: TurnView[] = [];
  for (const [turn, own] of [...groupBy(calls, (call) => call.turn)].toSorted(
    ([one], [other]) => one - other,
  )) {
    const read = <T>(step: 'assistant' | 'user', check: (text: string) => CheckResult<T>) => {
      const revision = computeRevision(inputs.restarts, { persona, session: number, step, turn });
      const asked = own
        .filter((call) => call.step === step)
        .toSorted((one, other) => one.revision - other.revision || one.ask - other.ask)
        .map((call) => ({ ...call, checked: checkEntry(call.entry, check) }));
      // Without the persona's record only the form is checked: why the call failed is known from its failure.
      const reasons = failed?.step === step && failed.turn === turn ? failed.reasons : undefined;
      const current = asked.filter((one) => one.revision === revision);
      const used = reasons === undefined ? current.findLast(({ checked }) => checked.ok) : undefined;
      return asked.map((call): { view: AttemptView; value?: T } => {
        const { entry, checked } = call;
        const problem = reasons?.[current.indexOf(call)] ?? (checked.ok ? checked.doubt : checked.reason);
        return {
          view: {
            verdict: call === used ? 'used' : call.revision === revision ? 'bad' : 'superseded',
            ...(problem === undefined ? {} : { problem }),
            ...describeEntry(entry, call === used),
          },
          ...(checked.ok ? { value: checked.value } : {}),
        };
      });
    };
    const user = read('user', (text) =>
      checkUserTurn(text, buildSubject(inputs.settings.quality, session, selected)),
    );
    turns.push({
      turn,
      assistant: read('assistant', checkAssistantTurn).map(({ view }) => view),
      user: user.map(({ view, value }) => ({ ...view, ...describeReply(value) })),
    });
    const reply = user.find(({ view }) => view.verdict === 'used')?.value;
    if (reply !== undefined) selected.push(reply.selected);
  }
  return { turns };
}

/** Tokens and cost of all calls of a persona, including those of its dialogues. */
export async function readPersonaCost(
  { folder: { store }, plan: { inputs } }: SynthesisRun,
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

/** What a user's turn was compared with when it was checked. */
function buildSubject(quality: string, session: Session | undefined, selected: readonly string[]) {
  if (quality !== 'strict' || session === undefined) return undefined;
  const { preference, checklist } = session;
  return { opening: buildOpeningMessage(session), preference, checklist, selected };
}

function checkEntry<T>({ answer }: JournalEntry, check: (text: string) => CheckResult<T>): CheckResult<T> {
  return answer.finish === 'complete' ? check(answer.text) : { ok: false, reason: INCOMPLETE[answer.finish] };
}

const INCOMPLETE = {
  refused: 'the model refused to answer',
  length: 'it was cut off at the limit of tokens',
  reasoning: 'reasoning used up the token limit',
} as const;

function describeEntry({ spec, answer, milliseconds }: JournalEntry, isUsed: boolean) {
  const { text, raw = text, usage } = answer;
  return {
    // Why an answer was rejected may stand in what was cut off from it.
    text: isUsed ? text : raw,
    model: spec,
    milliseconds,
    tokens: { input: usage.input ?? null, output: usage.output ?? null },
  };
}

function describeReply(turn: UserTurn | undefined): Partial<AttemptView> {
  if (turn === undefined) return {};
  const { score, decision, selected } = turn;
  return { score, decision, raised: listSelectedItems(selected) };
}
