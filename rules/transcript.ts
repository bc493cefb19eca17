import type { ContextFactor } from '../schemas/factor';
import type { JournalEntry } from '../schemas/journal';
import type { PersonaDescription } from '../schemas/persona';
import type { RunInputs } from '../schemas/run';
import type { PlannedSession } from '../schemas/session';
import type { Step } from '../schemas/step';
import type {
  About,
  RecordedInput,
  Said,
  Told,
  Transcript,
  TranscriptAsk,
  TranscriptQuestion,
} from '../schemas/transcript';
import { refKey } from './answer-ref';
import { checkAssistantTurn } from './answers/assistant';
import { checkChecklist } from './answers/checklist';
import { checkDescriptions } from './answers/describe';
import { checkFactors } from './answers/factors';
import { checkJourney } from './answers/journey';
import { checkUserTurn } from './answers/user';
import type { Checked } from './checked';
import { openingMessage } from './dialogue';
import { drawStructure } from './journey';
import { personaWorkflowId } from './journal-key';

/** A replayed workflow: what it told, and what the journal has of its run. */
export interface Heard {
  readonly inputs: Pick<RunInputs, 'id' | 'settings'>;
  readonly entries: readonly JournalEntry[];
  readonly told: readonly Told[];
  /** What the workflow is about; absent for a run's own. */
  readonly given?: RecordedInput | undefined;
}

/**
 * What a workflow asked, question by question in the order in which it first asked them, with all that was answered, and what the
 * answers that count say. An answer that the journal lacks, or that does not pass its check now, is only told of.
 */
export function transcriptOf(heard: Heard): Transcript {
  const answers = new Answers(heard);
  return { about: answers.about(), questions: questionsOf(heard, answers) };
}

function questionsOf({ told, entries }: Heard, answers: Answers): TranscriptQuestion[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const questions = new Map<string, TranscriptQuestion & { asks: TranscriptAsk[] }>();
  const asks = new Map<string, TranscriptAsk>();
  for (const one of told) {
    if (one.event !== 'asked') continue;
    const { key, step, turn, generation, ask } = one;
    const entry = byKey.get(key);
    const asked: TranscriptAsk = {
      key,
      ask,
      ...outcomeOf(key, told),
      ...(entry === undefined ? {} : { entry }),
    };
    asks.set(key, asked);
    const name = `${generation}.${step}.${turn}`;
    const question = questions.get(name) ?? { step, turn, generation, asks: [] };
    question.asks.push(asked);
    questions.set(name, question);
  }
  return [...questions.values()].map((question) => {
    const used = question.asks.find(({ verdict }) => verdict === 'used');
    const said = used?.entry === undefined ? undefined : answers.said(question.step, used.entry);
    return said === undefined ? question : { ...question, said };
  });
}

/** What became of a call. */
function outcomeOf(key: string, told: readonly Told[]): Pick<TranscriptAsk, 'verdict' | 'problem'> {
  let outcome: Pick<TranscriptAsk, 'verdict' | 'problem'> = { verdict: 'open' };
  for (const one of told) {
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

/** What answers say, read as the run's activities read them. */
class Answers {
  readonly #byKey: ReadonlyMap<string, JournalEntry>;

  constructor(private readonly heard: Heard) {
    this.#byKey = new Map(heard.entries.map((entry) => [entry.key, entry]));
  }

  about(): About {
    const { given } = this.heard;
    if (given === undefined) return {};
    const session = this.#session();
    return {
      persona: { number: given.persona, ...this.#description() },
      ...(session === undefined ? {} : { session }),
    };
  }

  said(step: Step, { answer: { text } }: JournalEntry): Said | undefined {
    if (step === 'factors') {
      return valueOf(checkFactors(text, this.heard.inputs.settings.nFactors), (factors) => ({
        form: 'factors',
        factors,
      }));
    }
    if (step === 'journey') {
      const sessions = this.#planned(text, this.#toldFactors());
      return sessions === undefined ? undefined : { form: 'sessions', sessions };
    }
    if (step === 'checklist') return valueOf(checkChecklist(text), (items) => ({ form: 'checklist', items }));
    if (step === 'user') {
      return valueOf(checkUserTurn(text), ({ score, decision, selected, message }) => ({
        form: 'user turn',
        score,
        decision,
        raised: selected,
        message,
      }));
    }
    return valueOf(checkAssistantTurn(text), (message) => ({ form: 'message', message }));
  }

  #description(): Partial<PersonaDescription> {
    const { given, inputs } = this.heard;
    if (given === undefined) return {};
    const { first, count, ref } = given.described;
    const text = this.#text(inputs.id, 'describe', first, ref);
    const batch = text === undefined ? undefined : valueOf(checkDescriptions(text, count));
    return batch?.[given.persona - first] ?? {};
  }

  #session(): About['session'] {
    const { given, inputs } = this.heard;
    if (given === undefined || !('session' in given)) return undefined;
    const own = personaWorkflowId(inputs.id, given.persona);
    const listed = this.#text(own, 'factors', 0, given.factors);
    const factors =
      listed === undefined ? undefined : valueOf(checkFactors(listed, inputs.settings.nFactors));
    const journey = this.#text(own, 'journey', 0, given.journey);
    const session =
      factors === undefined || journey === undefined
        ? undefined
        : this.#planned(journey, factors)?.[given.session - 1];
    if (session === undefined) return undefined;
    const { index, ref } = given.checklist;
    const checklist = this.#text(own, 'checklist', index, ref);
    const { context_factor, preference } = session;
    return {
      number: given.session,
      context_factor,
      preference,
      checklist: (checklist === undefined ? undefined : valueOf(checkChecklist(checklist))) ?? [],
      opening: openingMessage(session).trim(),
    };
  }

  #planned(text: string, factors: readonly ContextFactor[]): readonly PlannedSession[] | undefined {
    const { inputs, given } = this.heard;
    if (given === undefined) return undefined;
    const { nSessions, seed } = inputs.settings;
    const structure = drawStructure({ nSessions, seed, personaId: given.persona });
    return valueOf(checkJourney(text, { structure, factors }))?.sessions;
  }

  /** The factors that the replayed workflow went by. */
  #toldFactors(): readonly ContextFactor[] {
    const keys = new Set(this.heard.told.flatMap((one) => (one.event === 'accepted' ? [one.key] : [])));
    const asked = this.heard.told.find(
      (one) => one.event === 'asked' && one.step === 'factors' && keys.has(one.key),
    );
    const text =
      asked === undefined || !('key' in asked) ? undefined : this.#byKey.get(asked.key)?.answer.text;
    return (
      (text === undefined ? undefined : valueOf(checkFactors(text, this.heard.inputs.settings.nFactors))) ??
      []
    );
  }

  #text(workflowId: string, step: Step, turn: number, ref: string): string | undefined {
    return this.#byKey.get(refKey(workflowId, step, turn, ref))?.answer.text;
  }
}

function valueOf<T>(checked: Checked<T>): T | undefined;
function valueOf<T, U>(checked: Checked<T>, as: (value: T) => U): U | undefined;
function valueOf<T, U>(checked: Checked<T>, as?: (value: T) => U): T | U | undefined {
  if (!checked.ok) return undefined;
  return as === undefined ? checked.value : as(checked.value);
}
