import { checkChecklist } from '../../../rules/answers/synthesis/checklist';
import { checkFactors } from '../../../rules/answers/synthesis/factors';
import { checkJourney } from '../../../rules/answers/synthesis/journey';
import { checkUserTurn, checkAssistantTurn } from '../../../rules/answers/synthesis/dialogue';
import { groupBy } from '../../../rules/group-by';
import { parseJournalKey } from '../../../journal/key';
import type { ContextFactor } from '../../../schemas/dataset/factor';
import type { JournalEntry } from '../../../schemas/run/journal';
import type { SynthesisFiles } from '../files';
import { getStructure } from '../read-run';

/**
 * How many of a persona's answers nothing could be made of, in all generations: of each question all but the one that was
 * usable. An answer that a restart has left behind was no bad one.
 */
export function countBadAnswers(
  run: SynthesisFiles,
  persona: number,
  entries: readonly JournalEntry[],
): number {
  const isUsable = createUsableCheck(run, persona, entries);
  const questions = [...groupBy(entries, ({ key }) => getQuestion(key)).values()];
  return entries.length - questions.filter((answers) => answers.some(isUsable)).length;
}

function createUsableCheck(
  run: SynthesisFiles,
  persona: number,
  entries: readonly JournalEntry[],
): (entry: JournalEntry) => boolean {
  const { quality } = run.settings;
  const structure = getStructure(run, persona);
  const factorLists = entries
    .filter(({ key, answer }) => parseJournalKey(key)?.step === 'factors' && answer.finish === 'complete')
    .flatMap((entry) => {
      const checked = checkFactors(entry.answer.text, run.settings);
      return checked.ok
        ? [{ generation: parseJournalKey(entry.key)?.generation ?? 0, factors: checked.value }]
        : [];
    })
    .toSorted((one, other) => other.generation - one.generation);
  /** The factors that a journey of this generation was planned on: the latest there were. */
  const factorsAt = (generation: number): readonly ContextFactor[] =>
    factorLists.find((one) => one.generation <= generation)?.factors ?? [];
  return ({ key, answer: { text, finish } }) => {
    if (finish !== 'complete') return false;
    const { step, generation = 0 } = parseJournalKey(key) ?? {};
    if (step === 'factors') return checkFactors(text, run.settings).ok;
    if (step === 'journey')
      return checkJourney(text, { structure, factors: factorsAt(generation), quality }).ok;
    if (step === 'checklist') return checkChecklist(text).ok;
    return step === 'user' ? checkUserTurn(text).ok : checkAssistantTurn(text).ok;
  };
}

/** A key such as `run/p17/s3#g0.user.t4.a1` without its ask. */
function getQuestion(key: string): string {
  return key.slice(0, key.lastIndexOf('..'));
}
