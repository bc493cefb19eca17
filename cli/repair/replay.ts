import { findHistory, findRecording } from '../../runs/failures/recording';
import { NAME_A_BUNDLE, readBundle } from '../../data/run/bundles';
import { buildWorkReference } from '../../engine/journal/work';
import { version } from '../../package.json';
import type { Bundle } from '../../schemas/run/bundle';
import { replayHistory } from '../../workers/replay/history';
import { replay as replayWork, type ReplayResult } from '../../workers/replay/replay';
import { readWorkflowBundle } from '../../workers/workflow-bundle';
import { createRunFinder } from '../../runs/folder/find-run';
import { EXIT, UsageError } from '../exit';
import { printResult } from '../output';
import { renderHistoryReplay, renderTranscript } from './transcript';

interface ReplayOptions {
  readonly outputDir?: string;
  readonly untilTurn?: number;
  readonly history?: true;
  readonly profile?: string;
  readonly json?: true;
}

/**
 * Runs 'cupid replay': runs recorded work again, offline, with today's rules, prompts and code, and prints its calls
 * and results. With `--history`, replays the history of its workflow instead. Returns the exit code: failed when
 * today's program deviates from the recording, or entries are damaged.
 */
export async function replay(name: string, options: ReplayOptions): Promise<number> {
  const recording = await readRecording(name, options);
  if (options.history === true) return replayRecordedHistory(recording, options);
  if (options.untilTurn !== undefined && recording.work.session === undefined) {
    throw new UsageError(
      `--until-turn is for dialogues, but ${name} is not the recording of one. Leave the option out.`,
    );
  }
  const replayed = await replayWork(recording);
  const { untilTurn = Infinity } = options;
  const visibleResult = {
    ...replayed,
    questions: replayed.questions.filter(({ turn }) => turn <= untilTurn),
  };
  printResult(options, buildJsonReport(recording, visibleResult), () =>
    renderTranscript(recording, visibleResult, replayed.questions.length - visibleResult.questions.length),
  );
  return replayed.differences.length === 0 && replayed.damaged.size === 0 ? EXIT.done : EXIT.failed;
}

async function replayRecordedHistory(recording: Bundle, options: ReplayOptions): Promise<number> {
  const { outputDir, profile } = options;
  const find = outputDir === undefined ? undefined : createRunFinder(outputDir, profile);
  const history = await findHistory(recording, find);
  const code = await readWorkflowBundle();
  const result = await replayHistory(recording, history, code.path);
  const { versions, inputs, work } = recording;
  const events = history.events.length;
  const report = {
    work: buildWorkReference(inputs.id, work),
    recordingVersions: versions,
    replayVersions: { program: version, code: code.version },
    events,
    ...result,
  };
  printResult(options, report, () => renderHistoryReplay(report, history));
  return result.isReplayable ? EXIT.done : EXIT.failed;
}

async function readRecording(name: string, { outputDir }: ReplayOptions): Promise<Bundle> {
  if (outputDir !== undefined) return findRecording(outputDir, name);
  const bundle = await readBundle(name);
  if (bundle !== undefined) return bundle;
  throw new UsageError(`There is no file ${name}. ${NAME_A_BUNDLE}`);
}

function buildJsonReport(
  { failure, simulated, versions, missingParts }: Bundle,
  { work, damaged, ...replayed }: ReplayResult,
): object {
  return {
    work,
    ...(failure === undefined ? {} : { failure }),
    simulated,
    recordingVersions: versions,
    replayVersions: { program: version },
    ...replayed,
    missingParts,
    damagedEntries: Object.fromEntries(damaged),
  };
}
