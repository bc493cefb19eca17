import type { RunProgress } from '../../workflows/messages';
import {
  countAnswers,
  hasDialogues,
  type PersonaProgress,
  type RunAnswers,
} from '../../engine/costs/run-answers';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { listJourneyParts } from '../../schemas/run/journey-parts';
import type { FailedCall } from '../../schemas/run/outcome';
import type { Status } from '../run/progress';

/** Stored answers of a synthesis run, and the number of calls that its projection expects. */
interface RunReadings {
  readonly answers: RunAnswers;
  /** Bad answers, which are calls, too. */
  readonly bad: number;
  readonly callsLeft: number;
  /** Calls that this process had answered when the answers were read. */
  readonly counted: number;
}

/**
 * Describes the progress of a synthesis run. Its workflow reports the open personas. The journal holds what each has
 * done, including work of earlier commands and other workers.
 * @param readRun called once every few seconds at most
 * @param explain why a call failed
 */
export function createSynthesisProgressReader(
  readRun: () => Promise<RunReadings>,
  nSessions: number,
  explain: (call: FailedCall) => Promise<string>,
): (progress: RunProgress) => Promise<Status> {
  let readings: RunReadings | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let isReading = false;
  const refresh = async () => {
    if (isReading || performance.now() - readAt < READ_EVERY_MS) return;
    isReading = true;
    try {
      readings = await readRun();
    } catch {
      // An unreadable journal is read again later; the run itself reports the problem.
    }
    // The interval begins after the reading, so that slow readings are less frequent.
    readAt = performance.now();
    isReading = false;
  };
  return async ({ personas, finished, failed, open, building, misconfiguration }) => {
    await refresh();
    const isPlanning = readings === undefined || !hasDialogues(readings.answers);
    return {
      // Planning has few calls at once, so its pace says nothing about the dialogues.
      phase: isPlanning ? 'planning' : 'dialogues',
      summary: [
        `${formatNumber(finished)} of ${formatCount(personas, 'persona')} done`,
        `${formatNumber(failed)} failed`,
        formatStage({ open, building, waiting: finished + failed < personas }),
      ].join(', '),
      inProgress: open.map(
        (persona) => `persona ${persona}: ${formatPersona(readings?.answers, persona, nSessions)}`,
      ),
      ...(readings === undefined || isPlanning ? {} : { work: countSynthesisWork(readings) }),
      ...(building ? { writing: true } : {}),
      ...(misconfiguration === undefined ? {} : { misconfiguration: await explain(misconfiguration) }),
    };
  };
}

function countSynthesisWork({ answers, bad, callsLeft, counted }: RunReadings): NonNullable<Status['work']> {
  return { of: 'calls', done: countAnswers(answers) + bad, left: callsLeft, counted };
}

const READ_EVERY_MS = 2_000;

function formatStage({
  open,
  building,
  waiting,
}: Pick<RunProgress, 'open' | 'building'> & { readonly waiting: boolean }): string {
  if (building) return 'writing the data sets';
  if (open.length === 0 && waiting) return 'describing personas';
  return `${formatNumber(open.length)} in progress`;
}

/** Formats the next step of an open persona. */
function formatPersona(answers: RunAnswers | undefined, persona: number, nSessions: number): string {
  if (answers === undefined) return 'starting';
  const progress = answers.personas.get(persona);
  if (progress?.factors !== true) return 'context factors';
  const parts = listJourneyParts(nSessions).length;
  if (progress.journeyParts < parts)
    return parts === 1 ? 'journey' : `journey, part ${progress.journeyParts + 1} of ${parts}`;
  return progress.dialogues.length === 0 ? 'checklists' : formatDialogues(progress, nSessions - 1);
}

function formatDialogues({ dialogues }: PersonaProgress, all: number): string {
  const endedCount = dialogues.filter((dialogue) => dialogue.ended).length;
  const turns = dialogues.reduce((sum, { assistant }) => sum + assistant, 0);
  return `${formatNumber(endedCount)} of ${formatCount(all, 'dialogue')} done, ${formatCount(turns, 'turn')}`;
}
