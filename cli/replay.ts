import { recordingNamed } from '../client/recording';
import { readBundle } from '../data/bundles';
import type { Bundle } from '../schemas/bundle';
import { replay as replayed, type Replayed } from '../workers/replay';
import { workflowBundle } from '../workers/workflow-bundle';
import { finderOf } from './engines';
import { EXIT, UsageError } from './exit';
import { print } from './output';
import { transcriptLines } from './transcript';

export interface ReplayOptions {
  readonly outputDir?: string;
  readonly untilTurn?: number;
  readonly profile?: string;
  readonly json?: true;
}

/**
 * `cupid replay`: carries a recorded workflow out again, offline, and tells what it asked, got and made of it. Returns the exit
 * code: failed when today's code takes another way than the recording.
 */
export async function replay(what: string, options: ReplayOptions): Promise<number> {
  const recording = await recordingOf(what, options);
  if (options.untilTurn !== undefined && recording.workflow.type !== 'dialogue') {
    throw new UsageError(
      `--until-turn is for dialogues, and ${recording.workflow.id} is a ${recording.workflow.type}: leave it out.`,
    );
  }
  const { path: codePath, version } = await workflowBundle();
  const whole = await replayed(recording, { codePath });
  const shown = until(options.untilTurn, whole);
  print(
    options.json === true
      ? JSON.stringify(toldAsData(recording, shown, version), null, 2)
      : transcriptLines(recording, shown, { version, whole }).join('\n'),
  );
  return whole.divergence === undefined ? EXIT.done : EXIT.failed;
}

async function recordingOf(what: string, { outputDir, profile }: ReplayOptions): Promise<Bundle> {
  if (outputDir !== undefined) return recordingNamed(outputDir, what, finderOf(outputDir, profile));
  const bundle = await readBundle(what);
  if (bundle !== undefined) return bundle;
  throw new UsageError(
    `There is no file ${what}. Name the bundle of a failure, such as out/failures/p17-s3.bundle.json; or a workflow of a run, such as 17/s3, and the run's folder with --output-dir.`,
  );
}

/** What is asked up to this turn. */
function until(turn: number | undefined, { transcript, ...others }: Replayed): Replayed {
  if (turn === undefined) return { transcript, ...others };
  const questions = transcript.questions.filter((one) => Number(one.turn) <= turn);
  return { transcript: { ...transcript, questions }, ...others };
}

function toldAsData(recording: Bundle, { transcript, end, divergence }: Replayed, workflows: string): object {
  const { workflow, failed, simulated, versions, lacks } = recording;
  return {
    workflow,
    ...(failed === undefined ? {} : { failed }),
    simulated,
    recordedWith: versions,
    replayedWith: { workflows },
    ...transcript,
    end,
    lacks,
    ...(divergence === undefined ? {} : { divergence }),
  };
}
