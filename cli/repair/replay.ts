import { findRecording } from '../../runs/failures/recording';
import { readBundle } from '../../data/run/bundles';
import type { Bundle } from '../../schemas/run/bundle';
import { replay as replayRecording, ReplayHung, type ReplayResult } from '../../workers/replay/replay';
import { readWorkflowBundle } from '../../workers/workflow-bundle';
import { createRunFinder } from '../../runs/folder/find-run';
import { COMMAND, EXIT, UsageError } from '../exit';
import { printMessage, printResult } from '../output';
import { listConflicts, renderTranscript } from './transcript';

interface ReplayOptions {
  readonly outputDir?: string;
  readonly untilTurn?: number;
  readonly profile?: string;
  readonly json?: true;
}

/**
 * `cupid replay`: runs the recorded workflow of a run, persona or dialogue again, offline, and prints what was asked, answered and done
 * with the answers. Returns the exit code: failed when the replay differs from the recording, or the journal's answers differ from the
 * history's.
 */
export async function replay(what: string, options: ReplayOptions): Promise<number> {
  const recording = await readRecording(what, options);
  if (options.untilTurn !== undefined && recording.work.session === undefined) {
    throw new UsageError(
      `--until-turn is for dialogues, but ${what} is not the recording of one. Leave the option out.`,
    );
  }
  const { path: codePath, version } = await readWorkflowBundle();
  const full = await replayRecording(recording, { codePath }).catch(exitIfHung);
  const shown = until(options.untilTurn, full);
  printResult(options, buildJsonReport(recording, shown, version), () =>
    renderTranscript(recording, shown, { version, full }),
  );
  const matches =
    full.divergence === undefined && full.damaged.size === 0 && listConflicts(full).length === 0;
  return matches ? EXIT.done : EXIT.failed;
}

/** A replay that hangs would keep the process. */
function exitIfHung(error: unknown): never {
  if (!(error instanceof ReplayHung)) throw error;
  printMessage(`cupid: ${error.message}`);
  return process.exit(EXIT.failed);
}

async function readRecording(what: string, { outputDir, profile }: ReplayOptions): Promise<Bundle> {
  if (outputDir !== undefined) return findRecording(outputDir, what, createRunFinder(outputDir, profile));
  const bundle = await readBundle(what);
  if (bundle !== undefined) return bundle;
  throw new UsageError(
    `There is no file ${what}. Name the bundle of a failure, such as out/failures/p17-s3.bundle.json. To replay a persona or dialogue of a run, name it and the run's folder: ${COMMAND} replay 17/s3 --output-dir out`,
  );
}

/** The replay up to this turn. */
function until(turn: number | undefined, { transcript, ...others }: ReplayResult): ReplayResult {
  if (turn === undefined) return { transcript, ...others };
  const questions = transcript.questions.filter((one) => Number(one.turn) <= turn);
  return { transcript: { ...transcript, questions }, ...others };
}

function buildJsonReport(
  recording: Bundle,
  { work, transcript, end, divergence, damaged }: ReplayResult,
  workflows: string,
): object {
  const { failed, simulated, versions, lacks } = recording;
  return {
    work,
    ...(failed === undefined ? {} : { failed }),
    simulated,
    recordedWith: versions,
    replayedWith: { workflows },
    ...transcript,
    end,
    lacks,
    damagedEntries: Object.fromEntries(damaged),
    ...(divergence === undefined ? {} : { divergence }),
  };
}
