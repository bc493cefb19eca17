import { join } from 'node:path';
import { readStoredPersonas } from '../../data/run/artifacts';
import { readPlan, type RunPlan } from '../../data/run/inputs';
import { JournalError, openJournal } from '../../data/run/journal';
import { openRecordedCalls } from '../../data/run/unanswered-calls';
import { DataError } from '../../data/store/data-error';
import { CARD, hasFolder, readCardText } from '../../data/folders/folder';
import type { Store } from '../../data/store/store';
import { buildDialogueId, buildPersonaWorkflowId } from '../../engine/journal/key';
import { synthesizePersona } from '../../rules/method/persona';
import { openAnswers, readScript } from '../../rules/method/reader';
import { type ReadTurn, SynthesisAnswers } from '../../rules/method/synthesis-answers';
import { isIncluded } from '../../rules/statistics/run-statistics';
import type { StoredPersona } from '../../schemas/dataset/record';

/** The reply of a simulated user to an answer. */
export type UserReply = ReadTurn['user'];

/** A synthesis run whose dialogues become training data. */
export interface TrainingRun {
  readonly plan: RunPlan;
  /** Text of the card of its records. */
  readonly card: string;
  /** Reads the personas of its data sets, in their order. */
  readonly readPersonas: () => AsyncGenerator<StoredPersona>;
  /** Reads the replies of each dialogue of a persona from the journal. @throws JournalError when an answer is damaged or missing */
  readonly readReplies: (persona: StoredPersona) => Promise<UserReply[][]>;
}

/** @throws DataError when the run has no data sets yet */
export async function openTrainingRun(location: string, store: Store): Promise<TrainingRun> {
  const plan = await readPlan(store);
  const folder = join(location, 'CUPID-Raw');
  const card = (await hasFolder(folder, location)) ? await readCardText(join(folder, CARD)) : undefined;
  if (card === undefined) {
    throw new DataError(
      `${location} has no data sets yet: there is no ${join(folder, CARD)}. Repeat the cupid synth command of this run, which finishes it.`,
    );
  }
  return {
    plan,
    card,
    async *readPersonas() {
      for await (const persona of readStoredPersonas(store)) {
        if (isIncluded(plan.inputs.settings, persona)) yield persona;
      }
    },
    readReplies: openReplies(store, plan),
  };
}

function openReplies(store: Store, { inputs, templates }: RunPlan): TrainingRun['readReplies'] {
  const { id, settings, restarts } = inputs;
  const journal = openJournal(store);
  const run = { id, settings, templates: new Map(templates.map((template) => [template.id, template])) };
  return async ({ record, revision = 0 }) => {
    const persona = record.persona.id;
    const dialogues = record.interactions.map(({ session_id }) => buildDialogueId(id, persona, session_id));
    const workflows = [buildPersonaWorkflowId(id, persona), ...dialogues];
    const entries = (await Promise.all(workflows.map((workflowId) => journal.ofWorkflow(workflowId)))).flat();
    const byKey = new Map(entries.map((entry) => [entry.key, entry]));
    const recorded = { ...openRecordedCalls(store, journal), find: async (key: string) => byKey.get(key) };
    const answers = new SynthesisAnswers(run, openAnswers(recorded));
    // A retry in progress has restarts that the stored record does not follow.
    const followedRestarts = restarts.filter((restart) => restart.revision <= revision);
    const script = synthesizePersona(
      { run: id, settings, restarts: followedRestarts },
      { persona, described: NONE },
    );
    const { result } = await readScript(script, answers, recorded);
    if (result === undefined) {
      throw new JournalError(
        `The journal lacks answers of the dialogues of persona ${persona}. Repair the run: cupid retry RUN --damaged`,
      );
    }
    return Promise.all(
      result.dialogues.map(async ({ turns }, at) => {
        const readTurns = await answers.readTurns({ persona, session: at + 1 }, turns);
        return readTurns.map(({ user }) => user);
      }),
    );
  };
}

/** A placeholder, because no answer of a dialogue is judged by the description of its persona. */
const NONE = { first: 0, count: 0, ref: '' };
