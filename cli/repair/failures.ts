import { join, relative } from 'node:path';
import { getPurpose } from '../../schemas/evaluation/purpose';
import { formatCost } from '../../schemas/text/amount-text';
import { PURPOSES } from '../../runs/evaluate/purposes';
import { readFailures, type Failure, type FailuresOf } from '../../runs/failures/read-failures';
import { formatCount, formatKnownNumber } from '../../schemas/text/count-text';
import { isDamage } from '../../engine/journal/failed-work';
import { OWN_STEPS } from '../../rules/trials/outcomes';
import { formatCallNumber } from '../../schemas/run/step';
import { quotePath } from '../../schemas/text/shell-text';
import { listPresent } from '../../schemas/text/list-present';
import { EXIT } from '../exit';
import { printResult } from '../output';
import { getWidth } from '../terminal/width';
import { renderRetryCommands } from '../retry-lines';
import { wrapText } from '../terminal/wrap';

interface FailuresOptions {
  readonly json?: true;
}

/** Runs 'cupid failures': lists what failed in a run, and how to inspect or retry it. Returns the exit code. */
export async function showFailures(run: string, options: FailuresOptions): Promise<number> {
  const runFailures = await readFailures(run);
  printResult(options, runFailures, () => renderFailures(runFailures, run));
  return EXIT.done;
}

/** Renders what failed in a run, and apart from it the calls over the context length, which count as 0 and are not missing. */
export function renderFailures(runFailures: FailuresOf, name: string): string[] {
  const { failures: listedFailures } = runFailures;
  const zeros = listedFailures.filter(({ countsAsZero }) => countsAsZero);
  const failed = listedFailures.filter(({ countsAsZero }) => !countsAsZero);
  return [
    ...(failed.length === 0 ? [describeNone(runFailures)] : renderFailed(failed, runFailures, name)),
    ...(zeros.length === 0 ? [] : ['', ...renderZeros(zeros, runFailures, name)]),
  ];
}

function describeNone(runFailures: FailuresOf): string {
  const soFar = runFailures.open ? ' so far' : '';
  if (runFailures.kind === 'synthesis') return `Nothing failed${soFar}.`;
  return `No ${PURPOSES[getPurpose(runFailures)].resultNoun} is missing${soFar}.`;
}

function renderZeros(zeros: readonly Failure[], runFailures: FailuresOf, name: string): string[] {
  const [first] = zeros;
  return [
    ...wrapText(
      `${formatCount(zeros.length, 'call')} over the context length of the model under test, ${zeros.length === 1 ? 'which counts as 0 and is' : 'which count as 0 and are'} not missing:`,
      WIDTH,
    ),
    ...zeros.flatMap((failure) => ['', ...renderFailure(failure, runFailures)]),
    '',
    `Such a call is retried only if you name it: cupid retry ${quotePath(name)} --only ${first?.name ?? ''}`,
  ];
}

function renderFailed(failed: readonly Failure[], runFailures: FailuresOf, name: string): string[] {
  const run = quotePath(name);
  const { kind } = runFailures;
  const retriable = failed.find((failure) => !isDamage(failure))?.name ?? '';
  const first = failed.find(({ bundle }) => bundle !== null);
  return [
    `${formatCount(failed.length, NOUNS[kind])} of run ${runFailures.run}:`,
    ...failed.flatMap((failure) => ['', ...renderFailure(failure, runFailures)]),
    '',
    ...(kind === 'evaluation'
      ? [
          `Retry them: cupid retry ${run}`,
          `Retry only some of them: cupid retry ${run} --only ${failed[0]?.name ?? ''}`,
          ...(failed.every(({ step }) => OWN_STEPS.has(step ?? ''))
            ? []
            : [PURPOSES[getPurpose(runFailures)].suggestOtherJudge(run)]),
        ]
      : listPresent(
          first !== undefined &&
            `Show one: cupid replay ${quotePath(formatPath(runFailures, first.bundle ?? ''))}`,
          ...renderRetryCommands(
            failed,
            name,
            `, or only some of it: cupid retry ${run} --only ${retriable}`,
          ),
        )),
  ];
}

const WIDTH = Math.min(100, getWidth(100));

const NOUNS = { synthesis: 'failure', evaluation: 'missing call' } as const;

function renderFailure(failure: Failure, runFailures: FailuresOf): string[] {
  const { name, workflowId, kind, cause, attempts, calls, tokens, cost, bundle } = failure;
  const isShared = (failure.describedTogether?.length ?? 0) > 1;
  const place = listPresent(
    ...formatPlaces(failure),
    kind,
    attempts !== 0 && formatCount(attempts, 'answer'),
  );
  return listPresent(
    `${name}  ${place.join(' · ')}`,
    ...wrapText(cause, WIDTH, '  '),
    `  ${workflowId}: ${formatCount(calls, 'call')}, ${formatKnownNumber(tokens.input)} tokens in, ${formatKnownNumber(tokens.output)} out, ${formatCost(cost.usd, cost.lowerBound)}${isShared ? ', for all of these together' : ''}`,
    runFailures.kind !== 'evaluation' &&
      `  ${bundle === null ? 'no bundle' : formatPath(runFailures, bundle)}`,
  );
}

/** Formats the step of the failed call, and its turn or checklist. */
function formatPlaces({ step, turn, describedTogether }: Failure): string[] {
  if (step === null) return [];
  if (describedTogether !== null && describedTogether.length > 1) {
    return [step, `personas ${formatNumbers(describedTogether)}, described in one call`];
  }
  if (step === 'describe' || turn === null || turn === 0 || turn === '0') return [step];
  const number = formatCallNumber(step, turn);
  return number === '' ? [step, `turn ${turn}`] : [`${step}${number}`];
}

/** Formats ascending numbers: `1–4`, or `1, 3, 4` if some are missing. */
function formatNumbers(numbers: readonly number[]): string {
  const [first = 0] = numbers;
  const last = numbers.at(-1) ?? first;
  return last - first === numbers.length - 1 ? `${first}–${last}` : numbers.join(', ');
}

/** Formats a file of the run folder relative to the current directory. */
function formatPath({ folder }: FailuresOf, file: string): string {
  return relative(process.cwd(), join(folder, file));
}
