import { amountText } from '../client/read-status';
import { builtInPrices, type Budget, type Steered, type SteeringChange } from '../client/steer';
import { COMMAND } from './exit';
import { number } from './number-text';
import { limitsText } from './status-text';

/** What came of pausing, resuming or setting something of a run, in lines for a person. */
export function steeredLines({ run, how, wanted, before, now }: SteeringChange): string[] {
  const { name, kind, held } = run;
  const finished = held?.folder.run?.state === 'finished';
  const resting = `The run is ${finished ? 'finished' : 'stopped'}.`;
  const goesOn = `The same ${COMMAND} ${kind === 'synthesis' ? 'synth' : 'eval'} command goes on with it.`;
  const resume = `${COMMAND} resume ${name}`;
  const atRest = how === 'kept';
  if (now === undefined) {
    if (wanted.paused === true) return [`It is paused already.${atRest ? ` ${resting}` : ''}`];
    return [`It is not paused.${atRest ? ` ${resting} ${goesOn}` : ''}`];
  }
  if (wanted.paused === true) {
    return [
      atRest
        ? `${resting} When it is started again it will be paused, until ${resume}.`
        : `Paused: calls in flight are answered and kept, no other is made until ${resume}.`,
    ];
  }
  if (wanted.paused === false) {
    return [atRest ? `It is not paused any more. ${resting} ${goesOn}` : 'The run goes on.'];
  }
  return [
    ...changedLines({ wanted, before, now }),
    ...(atRest ? [`${resting} This holds when it is started again.`] : []),
    ...(before.paused !== undefined && now.paused === undefined && !atRest ? ['The run goes on.'] : []),
    ...(now.paused?.by === 'user' ? [`It is paused still, until ${resume}.`] : []),
  ];
}

/** What was set, each with what it was. */
function changedLines({
  wanted,
  before,
  now,
}: Pick<SteeringChange, 'wanted' | 'before'> & { readonly now: Steered }): string[] {
  const limited = Object.keys(wanted.limits ?? {});
  return [
    ...(wanted.concurrency === undefined
      ? []
      : [
          `Concurrency: ${number(wanted.concurrency)}${before.concurrency === undefined ? '' : ` (was ${number(before.concurrency)})`}.`,
        ]),
    ...(wanted.budget === undefined
      ? []
      : [
          `Budget: ${capText(wanted.budget)} (was ${capText(before.steering.budget)}); ${amountText(now.spent ?? 0, wanted.budget.unit)} spent.`,
        ]),
    ...limited.map(
      (spec) => `Rate of ${spec}: ${rateText(now.steering, spec)} (was ${rateText(before.steering, spec)}).`,
    ),
    ...(wanted.prices === undefined
      ? []
      : [`Prices: ${pricesText(now.steering)} (were ${pricesText(before.steering)}).`]),
  ];
}

function capText(budget: Budget | undefined): string {
  return budget === undefined ? 'none' : amountText(budget.cap, budget.unit);
}

function rateText({ limits }: Steered['steering'], spec: string): string {
  return limitsText(limits[spec] ?? {}) ?? 'unlimited';
}

function pricesText({ prices }: Steered['steering']): string {
  return prices === undefined ? `the built-in ones of ${builtInPrices().date}` : `yours of ${prices.date}`;
}
