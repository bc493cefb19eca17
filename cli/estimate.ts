import { amountText, estimateOf, type BegunRun, type Estimate, type EstimatedRow } from '../client/estimate';
import type { RunPlan } from '../data/inputs';
import { readPrices } from '../data/prices';
import { EXIT } from './exit';
import { counted, number } from './number-text';
import type { SynthOptions } from './options';
import { print } from './output';
import { textTable, type TableRow } from './text-table';

/**
 * `cupid synth --estimate`: tells what the run will have taken when it is done. Asks nobody, writes nothing, needs no key.
 * Returns the exit code.
 * @param plan the run as the command would have it
 * @param begun what the folder holds of it
 */
export async function tellEstimate(
  options: Pick<SynthOptions, 'prices' | 'json'>,
  plan: RunPlan,
  begun: BegunRun | undefined,
): Promise<number> {
  const prices = options.prices === undefined ? undefined : await readPrices(options.prices);
  const estimate = await estimateOf(plan, begun, prices);
  const text =
    options.json === true ? JSON.stringify(estimate, null, 2) : estimateLines(estimate, plan).join('\n');
  print(text);
  return EXIT.done;
}

/** An estimate for a terminal. */
export function estimateLines(estimate: Estimate, { inputs: { settings } }: RunPlan): string[] {
  const { personas, rows, total } = estimate;
  const { nSessions, maxTurns } = settings;
  return [
    `Estimate for ${counted(personas.all, 'persona')} with ${nSessions} sessions of up to ${maxTurns} turns; nothing was asked.`,
    '',
    ...textTable(COLUMNS, [
      ...rows.map((row) => rowCells(row)),
      '',
      totalCells('likely in all', total.likely, estimate),
      totalCells('at least', total.low, estimate),
      totalCells('at most', total.high, estimate),
    ]),
    '',
    basisLine(personas),
    ...priceLines(estimate),
    ...standLines(estimate),
  ];
}

const COLUMNS = [
  { title: 'step' },
  { title: 'calls' },
  { title: 'tokens in' },
  { title: 'tokens out' },
  { title: 'cost' },
  { title: 'model' },
];

function rowCells({ step, spec, likely, usd }: EstimatedRow): string[] {
  return [step, ...amountCells(likely), usd === undefined ? 'no price' : amountText(usd.likely, 'usd'), spec];
}

function totalCells(title: string, bound: Estimate['total']['likely'], { unpriced }: Estimate): TableRow {
  return [
    title,
    ...amountCells(bound),
    `${unpriced.length === 0 ? '' : '≥ '}${amountText(bound.usd, 'usd')}`,
  ];
}

function amountCells({ calls, input, output }: EstimatedRow['likely']): string[] {
  return [number(calls), amountText(input, 'tokens'), amountText(output, 'tokens')];
}

function basisLine({ all, finished, failed }: Estimate['personas']): string {
  if (finished === 0) {
    return "By the lengths of its prompts and the paper's dialogues; it narrows once personas are finished.";
  }
  const failing = failed === 0 ? '' : ` (${number(failed)} failed)`;
  return `By what ${number(finished)} of ${counted(all, 'persona')} took that ${finished === 1 ? 'is' : 'are'} finished${failing}.`;
}

function priceLines({ prices, unpriced }: Estimate): string[] {
  return [
    `Prices of ${prices.date}: ${prices.source}.`,
    ...(unpriced.length === 0
      ? []
      : [`Without a price, and in no sum: ${unpriced.join(', ')}. Give them one with --prices FILE.`]),
  ];
}

function standLines({ begun }: Estimate): string[] {
  if (begun === undefined) return [];
  const { spent, left } = begun;
  const range = (of: (bound: typeof left.likely) => string) =>
    `${of(left.likely)} (${of(left.low)} to ${of(left.high)})`;
  return [
    `Spent so far: ${counted(spent.calls, 'call')}, ${amountText(spent.tokens, 'tokens')}, ${amountText(spent.usd, 'usd')}.`,
    `Left: ${range(({ calls }) => number(calls))} calls, ${range(({ tokens }) => amountText(tokens, 'tokens'))}, ${range(({ usd }) => amountText(usd, 'usd'))}.`,
  ];
}
