import type { CheckResult } from '../../../rules/answers/form/checks';
import { checkChecklist } from '../../../rules/answers/synthesis/checklist';
import { checkAssistantTurn, checkUserTurn, type UserTurn } from '../../../rules/answers/synthesis/dialogue';
import { checkFactors } from '../../../rules/answers/synthesis/factors';
import { checkJourney } from '../../../rules/answers/synthesis/journey';
import { buildOpeningMessage } from '../../../rules/dialogue/messages';
import { groupBy } from '../../../rules/group-by';
import { listDistinctPreferences } from '../../../rules/journey/preferences';
import type { DialogueSubject } from '../../../rules/quality/user-turn';
import { parseJournalKey } from '../../../engine/journal/key';
import { parseWork } from '../../../engine/journal/work';
import type { JournalEntry } from '../../../schemas/run/journal';
import type { SynthesisStep } from '../../../schemas/run/step';
import type { SynthesisFiles } from '../inputs';
import { getStructure } from '../read-run';

/**
 * How many of a persona's answers nothing could be made of, in all revisions: of each question all but the one that was
 * usable. An answer that a restart has left behind was no bad one.
 */
export function countBadAnswers(
  run: Pick<SynthesisFiles, 'id' | 'settings'>,
  persona: number,
  entries: readonly JournalEntry[],
): number {
  const byPlace = groupBy(entries, ({ key }) => {
    const { workflowId = '', step = '', turn = '' } = parseJournalKey(key) ?? {};
    return namePlace(step, turn, parseWork(run.id, workflowId)?.session);
  });
  const opened: Answers<unknown>[] = [];
  const open = <T>(
    place: { readonly step: SynthesisStep; readonly turn?: number; readonly session?: number },
    check: (text: string, revision: number) => CheckResult<T>,
  ): Answers<T> => {
    const { step, turn = 0, session } = place;
    const answers = new Answers(byPlace.get(namePlace(step, turn, session)) ?? [], check);
    opened.push(answers);
    return answers;
  };
  const { nSessions, maxTurns, quality, taxonomy } = run.settings;
  const structure = getStructure(run, persona);

  const factors = open({ step: 'factors' }, (text) => checkFactors(text, run.settings));
  const journey = open({ step: 'journey' }, (text, revision) =>
    checkJourney(text, { structure, factors: factors.find(revision) ?? [], quality, taxonomy }),
  );
  // No journey has more preferences than sessions.
  const checklists = structure.map((_, index) =>
    open({ step: 'checklist', turn: index + 1 }, checkChecklist),
  );
  for (let session = 1; session < nSessions; session += 1) {
    const users: Answers<UserTurn>[] = [];
    /** What the user's next turn was compared with. */
    const getSubject = (revision: number, turn: number): DialogueSubject | undefined => {
      const sessions = journey.find(revision)?.sessions ?? [];
      const planned = sessions[session - 1];
      if (quality === 'reference' || planned === undefined) return undefined;
      const { preference } = planned;
      const checklist = checklists[listDistinctPreferences(sessions).indexOf(preference)]?.find(revision);
      const selected = users.slice(0, turn - 1).map((user) => user.find(revision)?.selected ?? '');
      const opening = buildOpeningMessage(planned);
      return { opening, preference, checklist: checklist ?? [], selected };
    };
    for (let turn = 1; turn <= maxTurns; turn += 1) {
      open({ step: 'assistant', turn, session }, checkAssistantTurn);
      users.push(
        open({ step: 'user', turn, session }, (text, revision) =>
          checkUserTurn(text, getSubject(revision, turn)),
        ),
      );
    }
  }
  return opened.reduce((sum, answers) => sum + answers.countBad(), 0);
}

/** The answers to one question in all revisions, with all attempts of each. */
class Answers<T> {
  readonly #checked: readonly { readonly revision: number; readonly check: () => CheckResult<T> }[];

  constructor(entries: readonly JournalEntry[], check: (text: string, revision: number) => CheckResult<T>) {
    this.#checked = entries.map(({ key, answer: { text, finish } }) => {
      const revision = parseJournalKey(key)?.revision ?? 0;
      let checked: CheckResult<T> | undefined =
        finish === 'complete' ? undefined : { ok: false, reason: finish };
      return { revision, check: () => (checked ??= check(text, revision)) };
    });
  }

  /** What was built on in a revision: the usable answer of the latest one up to it. */
  find(revision: number): T | undefined {
    const usable = this.#checked
      .filter((answer) => answer.revision <= revision)
      .toSorted((one, other) => other.revision - one.revision)
      .map((answer) => answer.check())
      .find((checked) => checked.ok);
    return usable?.ok === true ? usable.value : undefined;
  }

  countBad(): number {
    const revisions = groupBy(this.#checked, ({ revision }) => revision);
    const answered = [...revisions.values()].filter((asked) => asked.some(({ check }) => check().ok));
    return this.#checked.length - answered.length;
  }
}

function namePlace(step: string, turn: string | number, session: number | undefined): string {
  return `${session ?? ''}/${step}/${turn}`;
}
