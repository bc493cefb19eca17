import type { JournalEntry } from '../../schemas/run/journal';
import type { PersonaDescription } from '../../schemas/dataset/persona';
import type { RunInputs } from '../../schemas/run/run';
import { ANSWER_VALUES, type RecordedAnswer } from '../../schemas/run/recorded-answer';
import type { JourneyStructure } from '../../schemas/dataset/session';
import type { StepSettings } from '../../schemas/run/settings';
import type { Step } from '../../schemas/run/step';
import type {
  TranscriptSubject,
  RecordedInput,
  TranscriptMessage,
  TranscriptEvent,
  Transcript,
  TranscriptAsk,
  TranscriptQuestion,
} from '../../schemas/run/transcript';
import { checkChecklist } from '../../rules/answers/synthesis/checklist';
import { checkDescriptions } from '../../rules/answers/synthesis/describe';
import { checkFactors } from '../../rules/answers/synthesis/factors';
import { checkJourney } from '../../rules/answers/synthesis/journey';
import { checkUserTurn, checkAssistantTurn } from '../../rules/answers/synthesis/dialogue';
import { accept, rejectCutOff, type CheckResult } from '../../rules/answers/form/checks';
import { buildStoredOpening } from '../../rules/dialogue/messages';
import { drawStructure } from '../../rules/journey/structure';
import { listDistinctPreferences } from '../../rules/journey/preferences';
import { type CallKey, type SynthesisWork, buildRefKey } from '../../engine/journal/key';

/** Replayed work: what its workflow reported, what its history holds, and what the journal has of its run. */
interface ReplayEvidence {
  readonly inputs: Pick<RunInputs, 'id' | 'settings'>;
  /** What the transcript is of. */
  readonly work: SynthesisWork;
  readonly entries: readonly JournalEntry[];
  /** Journal entries that cannot be believed: by key, what is wrong. */
  readonly damaged?: ReadonlyMap<string, string>;
  /** The answers that the workflow went by. */
  readonly answers: readonly HistoryAnswer[];
  readonly reports: readonly TranscriptEvent[];
  /** The input of the persona's workflow; absent for the workflow of a run. */
  readonly input?: RecordedInput | undefined;
}

/** An answer in a history. */
type HistoryAnswer = RecordedAnswer & {
  /** Personas that a description's call was about. */
  readonly count?: number;
};

/**
 * What was asked for some work, question by question in the order in which it first asked them, with all that was answered, and what the
 * answers that count say: by the history, which the journal's texts are compared with.
 */
export function buildTranscript(evidence: ReplayEvidence): Transcript {
  const answers = new Answers(evidence);
  return { about: answers.describeSubject(), questions: buildQuestions(evidence, answers) };
}

function buildQuestions(
  { work, reports, entries, damaged }: ReplayEvidence,
  answers: Answers,
): TranscriptQuestion[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const questions = new Map<string, TranscriptQuestion & { asks: TranscriptAsk[] }>();
  for (const one of reports) {
    if (one.event !== 'asked' || one.session !== work.session) continue;
    const { key, step, turn, revision, ask } = one;
    const entry = byKey.get(key);
    const problem = damaged?.get(key);
    const conflict =
      problem === undefined
        ? entry && answers.conflict(one, entry)
        : `The journal entry of this answer is damaged: ${problem}.`;
    const asked: TranscriptAsk = {
      key,
      ask,
      ...findOutcome(key, reports),
      ...(entry === undefined ? {} : { entry }),
      ...(conflict === undefined ? {} : { conflict }),
    };
    const name = `${revision}.${step}.${turn}`;
    const question = questions.get(name) ?? { step, turn, revision, asks: [] };
    question.asks.push(asked);
    questions.set(name, question);
  }
  return [...questions.values()].map((question) => {
    const used = question.asks.find(({ verdict }) => verdict === 'used');
    const said = used === undefined ? undefined : answers.findRecordedMessage(question.step, used.key);
    return said === undefined ? question : { ...question, said };
  });
}

/** The outcome of a call. */
function findOutcome(
  key: string,
  reports: readonly TranscriptEvent[],
): Pick<TranscriptAsk, 'verdict' | 'problem'> {
  let outcome: Pick<TranscriptAsk, 'verdict' | 'problem'> = { verdict: 'open' };
  for (const one of reports) {
    if (!('key' in one) || one.key !== key) continue;
    if (one.event === 'answered') {
      const verdict = one.ok ? 'doubted' : 'bad';
      outcome = { verdict, ...(one.problem === undefined ? {} : { problem: one.problem }) };
      if (one.under !== key) outcome = { verdict: 'other', problem: `it is the answer of ${one.under}` };
    }
    if (one.event === 'unanswered') outcome = { verdict: 'unanswered', problem: `${one.kind}: ${one.cause}` };
    if (one.event === 'accepted') outcome = { ...outcome, verdict: 'used' };
  }
  return outcome;
}

/** What answers say: by the history, and of the persona's description, which it does not hold, as the run's activities read it. */
class Answers {
  readonly #byKey: ReadonlyMap<string, JournalEntry>;
  readonly #recorded: ReadonlyMap<string, HistoryAnswer>;

  constructor(private readonly evidence: ReplayEvidence) {
    this.#byKey = new Map(evidence.entries.map((entry) => [entry.key, entry]));
    this.#recorded = new Map(evidence.answers.map((answer) => [answer.key, answer]));
  }

  describeSubject(): TranscriptSubject {
    const { input } = this.evidence;
    if (input === undefined) return {};
    const session = this.#session();
    return {
      persona: { number: input.persona, ...this.#description() },
      ...(session === undefined ? {} : { session }),
    };
  }

  /** The message in the answer that the history has for this key. */
  findRecordedMessage(step: Step, key: string): TranscriptMessage | undefined {
    const recorded = this.#recorded.get(key);
    return recorded?.ok === true ? findMessage(step, recorded.value) : undefined;
  }

  /** How an entry of the journal differs from the answer that the history holds under its key. */
  conflict(
    { step, turn }: { readonly step: Step; readonly turn: CallKey['turn'] },
    { key, answer }: JournalEntry,
  ): string | undefined {
    const recorded = this.#recorded.get(key);
    if (recorded === undefined) return undefined;
    const { count } = recorded;
    const checked = getChecked(recorded);
    if (answer.finish === 'refused') {
      return `In the journal the model refused to answer, but the history contains ${formatChecked(checked)}`;
    }
    const read =
      answer.finish === 'length'
        ? rejectCutOff(this.#maxTokens(step))
        : this.#check(step, answer.text, { count: count ?? 0, turn: Number(turn) });
    if (read === undefined || JSON.stringify(read) === JSON.stringify(checked)) return undefined;
    const [journal, history] = findDifference(formatChecked(read), formatChecked(checked));
    return `The journal's answer differs from the answer in the history. History: ${history} Journal: ${journal}`;
  }

  #maxTokens(step: Step): number {
    const { steps } = this.evidence.inputs.settings;
    const asking: Readonly<Record<string, StepSettings>> = steps;
    return asking[step]?.maxTokens ?? 0;
  }

  /** Undefined where what the answer is checked against is not known. */
  #check(
    step: Step,
    text: string,
    { count, turn }: { readonly count: number; readonly turn: number },
  ): CheckResult<unknown> | undefined {
    const { nFactors, quality, taxonomy } = this.evidence.inputs.settings;
    if (step === 'describe') return checkDescriptions(text, { count, quality });
    if (step === 'factors') return checkFactors(text, { nFactors, quality, taxonomy });
    if (step === 'journey') {
      const planned = this.#planned('factors');
      const structure = this.#structure();
      return planned?.form !== 'factors' || structure === undefined
        ? undefined
        : checkJourney(text, { structure, factors: planned.factors, quality, taxonomy });
    }
    if (step === 'checklist') return checkChecklist(text);
    if (step === 'assistant') return checkAssistantTurn(text);
    if (quality === 'reference') return checkUserTurn(text);
    const session = this.#session();
    return session && checkUserTurn(text, { ...session, selected: this.#selectedBefore(turn) });
  }

  /** What the user selected in the turns before this one. */
  #selectedBefore(turn: number): string[] {
    return Array.from({ length: turn - 1 }, (_, index) => {
      const used = this.#planned('user', index + 1);
      return used?.form === 'user turn' ? used.raised : '';
    });
  }

  #description(): Partial<PersonaDescription> {
    const { input, inputs } = this.evidence;
    if (input === undefined) return {};
    const { first, count, ref } = input.described;
    const text = this.#byKey.get(buildRefKey(inputs.id, 'describe', first, ref))?.answer.text;
    if (text === undefined) return {};
    const checked = checkDescriptions(text, { count, quality: inputs.settings.quality });
    return (checked.ok ? checked.value[input.persona - first] : undefined) ?? {};
  }

  #session(): TranscriptSubject['session'] {
    const { session: number } = this.evidence.work;
    const journey = this.#planned('journey');
    if (number === undefined || journey?.form !== 'sessions') return undefined;
    const session = journey.sessions[number - 1];
    if (session === undefined) return undefined;
    const { context_factor, preference } = session;
    const checklist = this.#planned(
      'checklist',
      1 + listDistinctPreferences(journey.sessions).indexOf(preference),
    );
    return {
      number,
      context_factor,
      preference,
      checklist: checklist?.form === 'checklist' ? checklist.items : [],
      opening: buildStoredOpening(session),
    };
  }

  #structure(): JourneyStructure | undefined {
    const { inputs, input } = this.evidence;
    if (input === undefined) return undefined;
    const { nSessions, seed } = inputs.settings;
    return drawStructure({ nSessions, seed, personaId: input.persona });
  }

  /** What the answer says that the replayed persona, or in a user's turn the replayed dialogue, went by. */
  #planned(step: 'factors' | 'journey' | 'checklist' | 'user', turn = 0): TranscriptMessage | undefined {
    const { reports, work } = this.evidence;
    const asked = reports.flatMap((one) =>
      one.event === 'asked' &&
      one.step === step &&
      one.turn === turn &&
      (step !== 'user' || one.session === work.session)
        ? [one.key]
        : [],
    );
    const used = reports.find((one) => one.event === 'accepted' && asked.includes(one.key));
    return used?.event === 'accepted' ? this.findRecordedMessage(step, used.key) : undefined;
  }
}

/** A recorded answer without its key, in the form in which a check gives it. */
function getChecked(recorded: RecordedAnswer): CheckResult<unknown> {
  return recorded.ok ? accept(recorded.value, recorded.doubt) : { ok: false, reason: recorded.reason };
}

/** What a recorded value says. */
function findMessage(step: Step, value: unknown): TranscriptMessage | undefined {
  const values = ANSWER_VALUES;
  if (step === 'factors') {
    const factors = values.factors.safeParse(value).data;
    return factors && { form: 'factors', factors };
  }
  if (step === 'journey') {
    const sessions = values.journey.safeParse(value).data?.sessions;
    return sessions && { form: 'sessions', sessions };
  }
  if (step === 'checklist') {
    const items = values.checklist.safeParse(value).data;
    return items && { form: 'checklist', items };
  }
  if (step === 'describe') {
    const personas = values.describe.safeParse(value).data;
    return personas && { form: 'descriptions', personas };
  }
  if (step === 'user') {
    const turn = values.user.safeParse(value).data;
    if (turn === undefined) return undefined;
    const { score, decision, selected, message } = turn;
    return { form: 'user turn', score, decision, raised: selected, message };
  }
  const message = values.assistant.safeParse(value).data;
  return message === undefined ? undefined : { form: 'message', message };
}

/** An answer and its verdict as one text. */
function formatChecked(checked: CheckResult<unknown>): string {
  if (!checked.ok) return `no usable answer (${checked.reason})`;
  const doubt = checked.doubt === undefined ? '' : ` (in doubt: ${checked.doubt})`;
  return `${typeof checked.value === 'string' ? checked.value : JSON.stringify(checked.value)}${doubt}`;
}

/** The two texts around the place where they begin to differ, in quotation marks. */
function findDifference(one: string, other: string): readonly [string, string] {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 40);
  const part = (text: string) =>
    `"${from > 0 ? '…' : ''}${text.slice(from, at + 80)}${at + 80 < text.length ? '…' : ''}"`;
  return [part(one), part(other)];
}
