import type { DescriptionBatch } from '../../engine/journal/revisions';
import { buildPersonaWorkflowId, buildDialogueId } from '../../engine/journal/key';
import { simulateDialogue } from '../../rules/method/dialogue';
import { describePersonas, synthesizePersona } from '../../rules/method/persona';
import type { Attempt, AttemptOutcome, Script } from '../../rules/method/script';
import { SynthesisAnswers } from '../../rules/method/synthesis-answers';
import type {
  PersonaRefs,
  SessionRefs,
  SynthesisCall,
  SynthesisScriptPlan,
} from '../../rules/method/synthesis-calls';
import type { Restart } from '../../schemas/run/restart';
import { openAcceptedAnswers } from '../accepted-answers';
import { makeCall, makeCalls, type MadeCalls, type Outcomes } from '../make-calls';
import type { SynthesisFiles, SynthesisWorld } from './inputs';
import { buildQuestion } from './questions';

export type SynthesisScript =
  | (DescriptionBatch & { readonly script: 'describe' })
  /** The persona with its dialogues, as far as time allows. */
  | (PersonaRefs & { readonly script: 'persona' })
  | (SessionRefs & { readonly script: 'dialogue' });

interface SynthesisCallsInput {
  readonly run: string;
  readonly script: SynthesisScript;
  /** Absent for none. */
  readonly restarts?: readonly Restart[] | undefined;
  /** Outcomes that the workflow has; absent for none. */
  readonly known?: Outcomes;
}

/** Makes calls of a description, a persona's plan or a dialogue, ahead of the workflow. */
export async function makeSynthesisCalls(
  world: SynthesisWorld,
  input: SynthesisCallsInput,
): Promise<MadeCalls> {
  const { script, restarts, known = {} } = input;
  const { id, settings } = world.run;
  const { workflowId, follow } = openScript(script, { run: id, settings, restarts });
  // A process with little room leaves the dialogues of a persona to others.
  const isRoomy = world.capacity() > 2 * settings.nSessions;
  const isOwn = ({ call }: Attempt<SynthesisCall>) => isRoomy || call.workflowId === workflowId;
  return { workflowId, outcomes: await makeCalls(follow, { workflowId, known, isOwn }, createCaller(world)) };
}

/** Returns the generator of a script, and the work whose calls it makes. */
export function openScript(
  script: SynthesisScript,
  plan: SynthesisScriptPlan,
): { readonly workflowId: string; readonly follow: Script<unknown, SynthesisCall> } {
  const { run } = plan;
  if (script.script === 'describe') return { workflowId: run, follow: describePersonas(plan, script) };
  const { persona } = script;
  return script.script === 'persona'
    ? { workflowId: buildPersonaWorkflowId(run, persona), follow: synthesizePersona(plan, script) }
    : {
        workflowId: buildDialogueId(run, persona, script.session),
        follow: simulateDialogue(plan, script),
      };
}

/** Creates the function that makes a call of synthesis. If the user provided descriptions, it calls no model for them. */
export function createCaller(
  world: SynthesisWorld,
): (attempt: Attempt<SynthesisCall>) => Promise<AttemptOutcome> {
  const accepted = openAcceptedAnswers(world.run, 'run');
  const answers = new SynthesisAnswers(world.run, accepted.read);
  return async (attempt) => {
    if (answers.isGiven(attempt.call)) return { state: 'good' };
    return makeCall(world, attempt, accepted, (call) => buildQuestion({ run: world.run, answers }, call));
  };
}

export function openSynthesisAnswers(run: SynthesisFiles): SynthesisAnswers {
  return new SynthesisAnswers(run, openAcceptedAnswers(run, 'run').read);
}
