import { isStored, writeFailedPersona } from '../../../data/run/artifacts';
import { buildBundleName, writeBundle, readRecordedCalls } from '../../../data/run/bundles';
import { JournalError } from '../../../data/run/journal';
import { openRecordedCalls, readUnanswered } from '../../../data/run/unanswered-calls';
import { explainFailure, readScript, type ScriptProgress } from '../../../rules/method/reader';
import type { Call } from '../../../rules/method/script';
import type { FailedPlace, FailedWork, PersonaOutcome } from '../../../schemas/run/outcome';
import type { Restart } from '../../../schemas/run/restart';
import type { SynthesisWorld, SynthesisFiles } from '../inputs';
import { openSynthesisAnswers, openScript, type SynthesisScript } from '../make-calls';
import { setTimeout as wait } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { classifyGrpcError } from '../../../engine/grpc';
import { buildRecordedHistory } from '../../../data/run/recorded-history';
import { readPlan } from '../../../data/run/inputs';
import { version } from '../../../package.json';
import { isSimulatedRun } from '../../../engine/model-facts/roles';
import { listDescribedWith } from '../../../engine/journal/batches';
import { listRecordedCalls, getWorkflow } from '../../../engine/journal/work';
import { FOLDER_FORMAT } from '../../../schemas/run/folder-format';
import type { Bundle, RecordedHistory } from '../../../schemas/run/bundle';
import { omitUndefined } from '../../../schemas/omit-undefined';

/** A persona that failed. */
interface FailureInput {
  readonly run: string;
  readonly persona: number;
  readonly work: readonly FailedPlace[];
  /** Script whose calls failed; absent if no call did. */
  readonly script?: SynthesisScript;
  /** Absent for none. */
  readonly restarts?: readonly Restart[] | undefined;
}

/**
 * Stores the failed work of a persona and its reasons, with a bundle for each failure, for `failures/`. Returns how the persona ended: one
 * with a stored record has finished, whatever its workflow did after that.
 */
export async function keepFailure({ run }: SynthesisWorld, input: FailureInput): Promise<PersonaOutcome> {
  const { persona } = input;
  if (await isStored(run.store, persona)) return { persona, state: 'finished' };
  const work = await explainWork(run, input);
  for (const failed of work)
    await writeBundle(run.store, buildBundleName(failed), await bundleFailure(run, failed));
  // Last, because the note marks a persona as failed.
  await writeFailedPersona(run.store, persona, work);
  return { persona, state: 'failed' };
}

/** Adds the causes of failures, which Temporal does not have, from the journal and the records of unanswered calls. */
async function explainWork(
  run: SynthesisFiles,
  { work, script, restarts }: FailureInput,
): Promise<FailedWork[]> {
  const reading = script === undefined ? undefined : await readRecorded(run, script, restarts);
  return Promise.all(
    work.map(async ({ key, cause: knownCause, ...failed }): Promise<FailedWork> => {
      const attempts = reading?.attempts ?? [];
      const call = attempts
        .map(({ attempt }) => attempt.call)
        .findLast((madeCall) => isCallOf(failed, madeCall));
      const explained = call && explainFailure({ call, kind: failed.kind }, attempts);
      const unanswered =
        failed.kind === 'bad-answers' ? undefined : await readUnanswered(run.store, key ?? failed.workflowId);
      const cause = knownCause ?? unanswered?.cause ?? explained?.cause ?? failed.kind;
      return { ...failed, cause, reasons: [...(explained?.reasons ?? [])] };
    }),
  );
}

/** Returns undefined if entries of the journal are damaged, because nothing more can be found then. */
async function readRecorded(
  run: SynthesisFiles,
  script: SynthesisScript,
  restarts: readonly Restart[] | undefined,
): Promise<ScriptProgress<unknown> | undefined> {
  const { follow } = openScript(script, { run: run.id, settings: run.settings, restarts });
  try {
    return await readScript(follow, openSynthesisAnswers(run), openRecordedCalls(run.store, run.journal));
  } catch (error) {
    if (error instanceof JournalError) return undefined;
    throw error;
  }
}

function isCallOf({ workflowId, step, turn }: FailedPlace, call: Call): boolean {
  return call.workflowId === workflowId && call.step === step && call.turn === turn;
}

/**
 * Collects everything that a replay of failed work needs after its engine and the retention are gone. Unavailable parts are left out with a
 * note, so that every failure gets a bundle.
 */
export async function bundleFailure(run: SynthesisFiles, failure: FailedWork): Promise<Bundle> {
  const { inputs, prompts } = await readPlan(run.store);
  // The run's own workflow fails a persona that could not be described.
  const { persona, session } = failure;
  const work =
    failure.workflowId === run.id ? {} : { persona, ...(session === undefined ? {} : { session }) };
  const missingParts: string[] = [];
  const calls = await readRecordedCalls(run.store, listRecordedCalls(inputs, failure), (gap) =>
    missingParts.push(gap),
  );
  const history = await fetchHistory(getWorkflow(run.id, work).id, (gap) => missingParts.push(gap));
  const temporalServer = await fetchServerVersion();
  return omitUndefined({
    format: FOLDER_FORMAT,
    work,
    failure,
    simulated: isSimulatedRun(inputs),
    versions: omitUndefined({ program: version, code: run.codeVersion, temporalServer }),
    inputs,
    prompts,
    templates: listDescribedWith(inputs, persona).flatMap((number) => run.templates.get(number) ?? []),
    ...calls,
    history,
    missingParts,
  });
}

/** Fetches the history of a workflow from the engine, up to now if it is still open; it may have megabytes. */
async function fetchHistory(
  workflowId: string,
  onGap: (gap: string) => void,
): Promise<RecordedHistory | undefined> {
  for (let tries = TRIES; ; tries -= 1) {
    try {
      const { client } = Context.current();
      const fetched = () => client.workflow.getHandle(workflowId).fetchHistory();
      return buildRecordedHistory(await client.withDeadline(Date.now() + DEADLINE, fetched));
    } catch (error) {
      const isUnknown = classifyGrpcError(error) === 'not-found';
      if (isUnknown || tries === 1) {
        const reason = error instanceof Error ? error.message : String(error);
        onGap(
          `The history of ${workflowId} could not be read: ${isUnknown ? 'the Temporal server has no such workflow' : reason}.`,
        );
        return undefined;
      }
      await wait(1_000);
    }
  }
}

const TRIES = 3;
/** Milliseconds for all pages of a history. */
const DEADLINE = 120_000;

async function fetchServerVersion(): Promise<string | undefined> {
  try {
    const { serverVersion } = await Context.current().client.workflowService.getSystemInfo({});
    return serverVersion || undefined;
  } catch {
    return undefined;
  }
}
