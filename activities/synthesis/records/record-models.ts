import { buildDialogueId, buildPersonaWorkflowId, buildRefKey, type AnswerRef } from '../../../journal/key';
import { ROLE_OF } from '../../../model-facts/roles';
import type { JournalEntry } from '../../../schemas/run/journal';
import type { StoredPersona } from '../../../schemas/dataset/record';
import { MODEL_ROLES, type SynthesisStep } from '../../../schemas/run/step';
import type { SynthesisFiles } from '../files';
import type { RecordRefs } from '../inputs';

/**
 * By role, who gave the answers that a record is made of, where that is not the settings' model alone.
 * @param entries those of the persona and of its dialogues
 */
export async function listOtherModels(
  run: SynthesisFiles,
  refs: RecordRefs,
  entries: readonly JournalEntry[],
): Promise<NonNullable<StoredPersona['models']>> {
  const { first, ref } = refs.described;
  const descriptions =
    run.seeds.origin === 'personas'
      ? []
      : [await run.journal.get(buildRefKey(run.id, 'describe', first, ref))];
  const specs = new Map([...descriptions, ...entries].map(({ key, spec }) => [key, spec]));
  const answers = listAnswers(run.id, refs);
  const models: NonNullable<StoredPersona['models']> = {};
  for (const role of MODEL_ROLES) {
    const usual = run.settings.models[role];
    const asked = answers
      .filter(({ step }) => ROLE_OF[step] === role)
      .flatMap(({ key }) => specs.get(key) ?? []);
    if (asked.some((spec) => spec !== usual)) models[role] = [...new Set(asked)];
  }
  return models;
}

/** The keys of the answers that a record is made of, in the order they were asked for, session by session. */
function listAnswers(run: string, refs: RecordRefs): { step: SynthesisStep; key: string }[] {
  const workflowId = buildPersonaWorkflowId(run, refs.persona);
  const { described, factors, journey, checklists, dialogues } = refs;
  return [
    answer(run, 'describe', described.first, described.ref),
    answer(workflowId, 'factors', 0, factors),
    answer(workflowId, 'journey', 0, journey),
    ...checklists.map((ref, at) => answer(workflowId, 'checklist', at + 1, ref)),
    ...dialogues.flatMap(({ turns, unjudged }, at) => {
      const dialogue = buildDialogueId(run, refs.persona, at + 1);
      return [
        ...turns.flatMap(([assistant, user], index) => [
          answer(dialogue, 'assistant', index + 1, assistant),
          answer(dialogue, 'user', index + 1, user),
        ]),
        ...(unjudged === undefined ? [] : [answer(dialogue, 'assistant', turns.length + 1, unjudged)]),
      ];
    }),
  ];
}

function answer(workflowId: string, step: SynthesisStep, turn: number, ref: AnswerRef) {
  return { step, key: buildRefKey(workflowId, step, turn, ref) };
}
