import { openAcceptedAnswers } from '../../activities/accepted-answers';
import { buildBatches, findBatch } from '../../engine/journal/batches';
import { simulateDialogue } from '../../rules/method/dialogue';
import type { JudgedAnswer } from '../../rules/method/judge';
import { describePersonas, synthesizePersona } from '../../rules/method/persona';
import { readScript, type Reading } from '../../rules/method/reader';
import { all, type Attempt, type Script } from '../../rules/method/script';
import { SynthesisAnswers } from '../../rules/method/synthesis-answers';
import type {
  PersonaRefs,
  SessionRefs,
  SynthesisCall,
  SynthesisPlan,
} from '../../rules/method/synthesis-calls';
import type { Bundle } from '../../schemas/run/bundle';
import type { JournalEntry } from '../../schemas/run/journal';
import { RecordingDamaged, getKey, type BundledCalls } from './bundled-calls';

/** Recorded work as far as the script of today follows it. */
export interface FollowedWork {
  readonly reading: Reading<unknown, SynthesisCall>;
  readonly answers: RecordedAnswers;
  /** The persona, and the session of a dialogue, once its script came to them. */
  readonly refs: { readonly persona?: PersonaRefs; readonly session?: SessionRefs };
}

/** Follows the script of the recorded work by its answers: as the run did, where today's rules accept an answer that the run rejected. */
export async function followWork(bundle: Bundle, calls: BundledCalls): Promise<FollowedWork> {
  const refs: { persona?: PersonaRefs; session?: SessionRefs } = {};
  const answers = new RecordedAnswers(bundle, calls);
  const reading = await readScript(buildScript(bundle, refs), answers, calls);
  return { reading, answers, refs };
}

/** Bundles of earlier versions have the answers of a dialogue, and not those to its persona's plan. */
export function hasPlan({ prompts, work }: Bundle): boolean {
  return prompts !== undefined || work.session === undefined;
}

function buildScript(
  bundle: Bundle,
  refs: { persona?: PersonaRefs; session?: SessionRefs },
): Script<unknown, SynthesisCall> {
  const { inputs, work, failed } = bundle;
  const plan = { run: inputs.id, settings: inputs.settings, restarts: inputs.restarts };
  const { persona = failed?.persona } = work;
  if (persona === undefined) return all(buildBatches(inputs).map((batch) => describePersonas(plan, batch)));
  const batch = findBatch(inputs, persona);
  if (batch === undefined) throw new RecordingDamaged(bundle, `its run has no persona ${persona}`);
  if (work.persona === undefined) return describePersonas(plan, batch);
  return (function* (): Script<unknown, SynthesisCall> {
    const described = yield* describePersonas(plan, batch);
    refs.persona = { persona, described };
    if (work.session !== undefined && !hasPlan(bundle))
      return yield* simulateDialogue(plan, { ...refs.persona, ...UNKNOWN, session: work.session });
    return yield* synthesizePersona(plan, refs.persona, simulate);
  })();

  /** Returns the other dialogues are other work. */
  function* simulate(same: SynthesisPlan, session: SessionRefs): ReturnType<typeof simulateDialogue> {
    if (session.session !== work.session) return { turns: [] };
    refs.session = session;
    return yield* simulateDialogue(same, session);
  }
}

/** The plan of a dialogue whose bundle does not have it: the calls of a dialogue do not depend on it, only their requests do. */
const UNKNOWN = { factors: '0.0', journey: '0.0', checklist: { index: 1, ref: '0.0' } } as const;

/** The answers of a recording by today's rules, and the places where the run judged one differently. */
export class RecordedAnswers extends SynthesisAnswers {
  /** By the keys of the attempts whose answers the run rejected: what today's rules make of them. */
  readonly acceptedToday = new Map<string, 'good' | 'doubtful'>();

  constructor(
    private readonly bundle: Bundle,
    private readonly calls: BundledCalls,
  ) {
    const { inputs, template, templates = template === undefined ? [] : [template] } = bundle;
    // Answers can be compared with a plan only where it is known.
    const settings = hasPlan(bundle)
      ? inputs.settings
      : { ...inputs.settings, quality: 'reference' as const };
    const run = { id: inputs.id, settings, templates: new Map(templates.map((one) => [one.id, one])) };
    super(run, openAcceptedAnswers({ journal: calls }, 'run').read);
  }

  override isGiven(call: SynthesisCall): boolean {
    return call.step === 'describe' && this.bundle.inputs.seeds.origin === 'personas';
  }

  override async judge(attempt: Attempt<SynthesisCall>, entry: JournalEntry): Promise<JudgedAnswer> {
    const judged = await super.judge(attempt, entry);
    const { state } = judged.outcome;
    const { call, ask } = attempt;
    const isFailed = this.bundle.failed?.kind === 'bad-answers' && this.calls.isFailedCall(call);
    // A doubtful answer is asked for once more.
    const isRejected = isFailed || (state === 'good' && this.calls.isAskedAgain({ ...call, ask }));
    if (!isRejected || (state !== 'good' && state !== 'doubtful')) return judged;
    this.acceptedToday.set(getKey(attempt), state);
    const reason = isFailed ? this.bundle.failed?.reasons[ask] : undefined;
    return { outcome: { state: 'bad' }, problem: reason ?? 'the run asked again after this answer' };
  }
}
