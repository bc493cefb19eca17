import { openAcceptedAnswers } from '../../activities/accepted-answers';
import { buildBatches, findBatch } from '../../engine/journal/batches';
import { simulateDialogue } from '../../rules/method/dialogue';
import type { JudgedAnswer } from '../../rules/method/judge';
import { describePersonas, synthesizePersona } from '../../rules/method/persona';
import { readScript, type ScriptProgress } from '../../rules/method/reader';
import { all, type Attempt, type Script } from '../../rules/method/script';
import { SynthesisAnswers } from '../../rules/method/synthesis-answers';
import type {
  PersonaRefs,
  SessionRefs,
  SynthesisCall,
  SynthesisScriptPlan,
} from '../../rules/method/synthesis-calls';
import type { Bundle } from '../../schemas/run/bundle';
import type { JournalEntry } from '../../schemas/run/journal';
import { RecordingDamaged, buildAttemptKey, type BundledCalls } from './bundled-calls';

/** Recorded work, as far as today's script follows it. */
export interface FollowedWork {
  readonly reading: ScriptProgress<unknown, SynthesisCall>;
  readonly answers: RecordedAnswers;
  /** References of the persona, and of a dialogue's session, once its script reached them. */
  readonly refs: { readonly persona?: PersonaRefs; readonly session?: SessionRefs };
}

/**
 * Follows the script of the recorded work through its answers. Where the run rejected an answer that today's rules accept, it follows the
 * run.
 */
export async function followWork(bundle: Bundle, calls: BundledCalls): Promise<FollowedWork> {
  const refs: { persona?: PersonaRefs; session?: SessionRefs } = {};
  const answers = new RecordedAnswers(bundle, calls);
  const reading = await readScript(buildScript(bundle, refs), answers, calls);
  return { reading, answers, refs };
}

function buildScript(
  bundle: Bundle,
  refs: { persona?: PersonaRefs; session?: SessionRefs },
): Script<unknown, SynthesisCall> {
  const { inputs, work, failure } = bundle;
  const plan = { run: inputs.id, settings: inputs.settings, restarts: inputs.restarts };
  const { persona = failure?.persona } = work;
  if (persona === undefined) return all(buildBatches(inputs).map((batch) => describePersonas(plan, batch)));
  const batch = findBatch(inputs, persona);
  if (batch === undefined) throw new RecordingDamaged(bundle, `its run has no persona ${persona}`);
  if (work.persona === undefined) return describePersonas(plan, batch);
  return (function* (): Script<unknown, SynthesisCall> {
    const described = yield* describePersonas(plan, batch);
    refs.persona = { persona, described };
    return yield* synthesizePersona(plan, refs.persona, simulate);
  })();

  /** Skips the persona's other dialogues, which are recorded separately. */
  function* simulate(
    dialoguePlan: SynthesisScriptPlan,
    session: SessionRefs,
  ): ReturnType<typeof simulateDialogue> {
    if (session.session !== work.session) return { turns: [] };
    refs.session = session;
    return yield* simulateDialogue(dialoguePlan, session);
  }
}

/** Answers of a recording by today's rules, and the places where the run judged one differently. */
class RecordedAnswers extends SynthesisAnswers {
  /** Verdicts of today's rules on answers that the run rejected, by the keys of their attempts. */
  readonly acceptedToday = new Map<string, 'good' | 'doubtful'>();

  constructor(
    private readonly bundle: Bundle,
    private readonly calls: BundledCalls,
  ) {
    const { inputs, templates } = bundle;
    const { id, settings } = inputs;
    const run = { id, settings, templates: new Map(templates.map((template) => [template.id, template])) };
    super(run, openAcceptedAnswers({ journal: calls }, 'run').read);
  }

  override isGiven(call: SynthesisCall): boolean {
    return call.step === 'describe' && this.bundle.inputs.seeds.origin === 'personas';
  }

  override async judge(attempt: Attempt<SynthesisCall>, entry: JournalEntry): Promise<JudgedAnswer> {
    const judgement = await super.judge(attempt, entry);
    const { state } = judgement.outcome;
    const { call, number } = attempt;
    const isFailed = this.bundle.failure?.kind === 'bad-answers' && this.calls.isFailedCall(call);
    // The run repeated this call, which a doubtful answer explains as well.
    const isRejected =
      isFailed || (state === 'good' && this.calls.isAskedAgain({ ...call, attempt: number }));
    if (!isRejected || (state !== 'good' && state !== 'doubtful')) return judgement;
    this.acceptedToday.set(buildAttemptKey(attempt), state);
    const reason = isFailed ? this.bundle.failure?.reasons[number] : undefined;
    return { outcome: { state: 'bad' }, problem: reason ?? 'the run asked again after this answer' };
  }
}
