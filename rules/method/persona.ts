import type { AnswerRef } from '../../engine/journal/key';
import type { DescriptionBatch } from '../../engine/journal/revisions';
import { listJourneyParts } from '../../schemas/run/journey-parts';
import type { SynthesisStep } from '../../schemas/run/step';
import { simulateDialogue } from './dialogue';
import { all, type Script } from './script';
import {
  askStep,
  placeStep,
  type DescriptionRef,
  type JourneyStart,
  type PersonaRefs,
  type RecordRefs,
  type SynthesisCall,
  type SynthesisScriptPlan,
} from './synthesis-calls';

/**
 * Describes a batch of personas, in the order of their templates (paper, B.1). A batch is requested unchanged even after some of its personas were
 * described again, each in a batch of its own. Only such a batch follows the restarts.
 */
export function* describePersonas(
  plan: SynthesisScriptPlan,
  { first, count, revision }: DescriptionBatch,
): Script<DescriptionRef, SynthesisCall> {
  const effectivePlan = revision === undefined ? { ...plan, restarts: [] } : plan;
  const { ref } = yield* askStep(plan, {
    ...placeStep(effectivePlan, 'describe', first, { persona: first }),
    count,
  });
  return { first, count, ref };
}

/**
 * Synthesizes one persona: context factors with their preferences, the contrastive pair last (paper, B.2); the journey of sessions (B.3); a
 * checklist for each distinct preference (2.3); the dialogues side by side (B.4). The last session only provides its request, so it is not
 * simulated.
 * @param simulate the dialogue of a session
 * @returns the references that the persona's record is made of
 * @throws CallsFailed when calls got no usable answer, after all dialogues have ended
 */
export function* synthesizePersona(
  plan: SynthesisScriptPlan,
  refs: PersonaRefs,
  simulate: typeof simulateDialogue = simulateDialogue,
): Script<RecordRefs, SynthesisCall> {
  const at = <S extends SynthesisStep>(step: S, turn = 0) => placeStep(plan, step, turn, refs);
  const factors = yield* askStep(plan, { ...refs, ...at('factors') });
  const listed = { ...refs, factors: factors.ref };
  const { journey, preferences } = yield* planJourney(plan, listed);
  const journeyRefs = { ...listed, journey };
  const distinct = [...new Set(preferences)];
  const checklists = yield* all(
    distinct.map((turn) => askStep(plan, { ...journeyRefs, ...at('checklist', turn) })),
  );
  const dialogues = yield* all(
    preferences.slice(0, -1).map((index, position) => {
      const checklist = { index, ref: checklists[index - 1]?.ref ?? '' };
      return simulate(plan, { ...journeyRefs, session: position + 1, checklist });
    }),
  );
  return { ...journeyRefs, checklists: checklists.map(({ ref }) => ref), dialogues };
}

/** Plans the journey part by part; each part continues from those before. Returns also the number of each session's preference. */
function* planJourney(
  plan: SynthesisScriptPlan,
  refs: Omit<JourneyStart, 'earlier'>,
): Script<
  { readonly journey: readonly AnswerRef[]; readonly preferences: readonly number[] },
  SynthesisCall
> {
  const journey: AnswerRef[] = [];
  const preferences: number[] = [];
  for (const { turn } of listJourneyParts(plan.settings.nSessions)) {
    const call = { ...refs, ...placeStep(plan, 'journey', turn, refs), earlier: [...journey] };
    const { ref, facts } = yield* askStep(plan, call);
    journey.push(ref);
    preferences.push(...facts.preferences);
  }
  return { journey, preferences };
}
