import { readFailedPersonas } from '../../data/run/artifacts';
import { buildBundleName } from '../../data/run/bundles';
import { openJournal, type Journal } from '../../data/run/journal';
import { createAnswerLookup } from '../../data/run/ledger';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import { LedgerTally, computeTotals, sumAnswerTokens } from '../../engine/costs/ledger';
import { computeCost, type Cost } from '../../engine/costs/prices';
import { countsAsZero } from '../../rules/trials/outcomes';
import { listPersonaWorkflows, parseJournalKey, parseTrialContext } from '../../engine/journal/key';
import { listRecordedCalls } from '../../engine/journal/work';
import { omitUndefined } from '../../schemas/omit-undefined';
import type { JournalEntry } from '../../schemas/run/journal';
import type { Ledger } from '../../schemas/run/ledger';
import type { FailedWork } from '../../schemas/run/outcome';
import type { ModelTable } from '../../schemas/model/model-table';
import type { RunInputs } from '../../schemas/run/run';
import { listMissingCalls } from '../evaluate/retry';
import { readStoredEvaluation } from '../evaluate/outcomes';
import {
  findOpenRun,
  RunNotFound,
  type OpenEvaluation,
  type OpenRun,
  type OpenSynthesis,
} from '../folder/run-folder';

/** Failures of a run, or missing answers of an evaluation. */
export interface FailuresOf {
  readonly run: string;
  readonly kind: OpenRun['kind'];
  readonly folder: string;
  /** True while more may follow. */
  readonly open: boolean;
  /** SPEC of the verifying model, in a verification. */
  readonly verifier?: string;
  readonly failures: readonly Failure[];
}

export interface Failure {
  /** Name for `cupid retry --only` and `cupid replay`, such as `17` or `17/s3`; in evaluation `i3/m1/full`. */
  readonly name: string;
  readonly workflowId: string;
  readonly persona: number | null;
  readonly session: number | null;
  readonly step: string | null;
  readonly turn: number | string | null;
  readonly kind: string;
  readonly cause: string;
  /** True in evaluation if the history is over the context length of the model under test: it counts as 0, and is not missing. */
  readonly countsAsZero: boolean;
  /** Personas that the failed call was to describe, including this one: they share its calls. Null for other steps. */
  readonly describedTogether: readonly number[] | null;
  /** How many attempts of the failed call have a rejected answer, without those before its last restart. */
  readonly attempts: number;
  /** Known reasons why they were rejected. */
  readonly reasons: readonly string[];
  /** Answered calls of the workflow, including the good ones, and those of the dialogues of a terminated persona. */
  readonly calls: number;
  /** Tokens of these calls; null if one did not report them. */
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  /** Cost of these calls; a lower bound if a model has no price, or a call reported no tokens. */
  readonly cost: Cost & { readonly lowerBound: boolean };
  /** Path of the bundle below the run's folder; null if there is none. */
  readonly bundle: string | null;
}

/** Reads the failures from a run folder, also while other processes use it or its engine is stopped. @throws RunNotFound, RunFolderError */
export async function readFailures(name: string): Promise<FailuresOf> {
  const openRun = await findOpenRun(name);
  if (openRun === undefined) {
    throw new RunNotFound(
      `There is no folder ${name}. Name a run folder, which keeps the failures of its run.`,
    );
  }
  const { kind, folder, plan } = openRun;
  return {
    run: plan.inputs.id,
    kind,
    folder: folder.path,
    open: folder.run?.state !== 'finished',
    ...(openRun.kind === 'evaluation' && omitUndefined({ verifier: openRun.plan.inputs.verifier })),
    failures:
      openRun.kind === 'synthesis' ? await readSynthesisFailures(openRun) : await readMissing(openRun),
  };
}

async function readSynthesisFailures({
  folder: { store, run: file },
  plan,
}: OpenSynthesis): Promise<Failure[]> {
  const journal = openJournal(store);
  const table = buildModelTable(await readSteering(store));
  const bundles = new Set((await store.list('failures')).filter((name) => name.endsWith('.bundle.json')));
  const failures: Failure[] = [];
  const all = (await readFailedPersonas(store)).flat();
  for (const work of all) {
    const { workflowId, persona, session, step, turn, kind, cause, reasons } = work;
    const bundle = buildBundleName(work);
    const entries = await readFailedEntries(work, plan.inputs, journal);
    failures.push({
      name: session === undefined ? String(persona) : `${persona}/s${session}`,
      workflowId,
      persona,
      session: session ?? null,
      step: step ?? null,
      turn: turn ?? null,
      kind,
      cause,
      countsAsZero: false,
      describedTogether: step === 'describe' ? listDescribedTogether(work, all) : null,
      attempts: reasons.length,
      reasons,
      ...summarizeCalls(entries, table),
      // The bundle is copied to the folder when the run ends; until then it is in the store.
      bundle: bundles.has(bundle) ? (file?.state === 'finished' ? bundle : `.cupid/${bundle}`) : null,
    });
  }
  return failures;
}

/** Lists the personas of a failed batch of descriptions, which fails as a whole. */
function listDescribedTogether({ turn, revision }: FailedWork, all: readonly FailedWork[]): number[] {
  return all
    .filter((failed) => failed.step === 'describe' && failed.turn === turn && failed.revision === revision)
    .map(({ persona }) => persona);
}

/** Reads the answered calls of the failed work. */
async function readFailedEntries(
  work: FailedWork,
  inputs: RunInputs,
  journal: Journal,
): Promise<JournalEntry[]> {
  if (work.workflowId === inputs.id) {
    const entries = await Promise.all(listRecordedCalls(inputs, work).keys.map(createAnswerLookup(journal)));
    return entries.filter((entry) => entry !== undefined);
  }
  // A damaged entry may be the cause of the listed failure.
  const inspected = await Promise.all(listWorkflows(work, inputs).map((id) => journal.inspect(id)));
  return inspected.flatMap(({ entries }) => entries);
}

/** Lists the workflows of failed work. A persona that was terminated, at no call of its own, ended with its dialogues. */
function listWorkflows(
  { workflowId, persona, session, step }: FailedWork,
  { id, settings }: RunInputs,
): string[] {
  if (step !== undefined || session !== undefined) return [workflowId];
  return listPersonaWorkflows(id, persona, settings.nSessions);
}

async function readMissing({ folder: { store } }: OpenEvaluation): Promise<Failure[]> {
  const table = buildModelTable(await readSteering(store));
  return (await listMissingCalls(await readStoredEvaluation(store))).map((call) => {
    const { name, workflowId, step, turn, kind, cause, attempts, calls } = call;
    return {
      name,
      workflowId,
      persona: null,
      session: null,
      step,
      turn,
      kind,
      cause,
      countsAsZero: countsAsZero(call, parseTrialContext(workflowId)),
      describedTogether: null,
      attempts,
      reasons: [],
      ...summarizeCalls(calls.entries, table),
      bundle: null,
    };
  });
}

export function summarizeCalls(
  entries: readonly JournalEntry[],
  table: ModelTable,
): Pick<Failure, 'calls' | 'tokens' | 'cost'> {
  const ledger = buildLedger(entries);
  const cost = computeCost(ledger, table);
  const uncounted = computeTotals(ledger).uncountedCalls > 0;
  return {
    calls: entries.length,
    tokens: { input: sumAnswerTokens(entries, 'input'), output: sumAnswerTokens(entries, 'output') },
    cost: { ...cost, lowerBound: uncounted || cost.unpricedModels.length > 0 },
  };
}

function buildLedger(entries: readonly JournalEntry[]): Ledger {
  const tally = new LedgerTally('');
  for (const [at, { key, spec, answer, durationMs }] of entries.entries()) {
    const call = at + 1;
    const step = parseJournalKey(key)?.step;
    if (step === undefined) continue;
    tally.add({ event: 'sent', call, key, spec, step, sentAtMs: 0, estimate: { input: 0, output: 0 } });
    tally.add({ event: 'answered', call, verdict: 'good', usage: answer.usage, durationMs });
  }
  return tally.rows();
}
