import type { DataFigures, SampledFigure, ShareFigure } from '../../schemas/dataset/data-figures';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { formatNumber } from '../../schemas/text/count-text';
import { formatPercent } from '../../schemas/text/numbers';
import { renderTable } from './markdown';

interface FigureText {
  readonly name: string;
  readonly value: string;
  /** 95% confidence interval; empty if there is none. */
  readonly interval: string;
}

/** Renders the quality figures of a data set as a table; docs/data-quality.md explains them. */
export function renderFigures(figures: DataFigures): string {
  return renderTable(
    ['Quality', 'Here', '95 %'],
    listFigures(figures).map(({ name, value, interval }) => [name, value, interval]),
  );
}

/** Lists all figures in a fixed order; `unknown` for a figure without data. */
export function listFigures(figures: DataFigures): FigureText[] {
  const { preferenceInRequest, relevantPositions, entropy } = figures;
  return [
    describeShare("Requests with half of the preference's words or more", figures.leakage),
    {
      name: "Preference's words in the request, mean (most)",
      value:
        preferenceInRequest === undefined
          ? UNKNOWN
          : `${formatPercent(preferenceInRequest.mean)} % (${formatPercent(preferenceInRequest.most)} %)`,
      interval: '',
    },
    describeShare('Checklist items selected in relevant dialogues', figures.selection),
    describeShare('Checklist items touched on in relevant dialogues, by words', figures.coverage),
    describeShare('User messages that do not quote their preference', figures.indirectness),
    describeShare('Dialogues that ended with the first answer', figures.endedAtFirstAnswer),
    describeShare('Dialogues that ended without satisfying the user', figures.unsatisfied),
    describeShare('Dialogues that ended at the turn limit', figures.endedAtTurnLimit),
    {
      name: `Mean position of relevant sessions (${INSTANCE_TYPES.join(', ')})`,
      value: INSTANCE_TYPES.map((type) => relevantPositions[type]?.mean.toFixed(1) ?? UNKNOWN).join(', '),
      interval: '',
    },
    describeSampled('Distinct-2 of 200 user messages', figures.distinct2, 3),
    describeSampled('Compression ratio of 200 user messages', figures.compressionRatio, 1),
    describeShare('Personas with the name of another one', figures.repeatedNames),
    describeShare('Personas described nearly as an earlier one', figures.nearDuplicatePersonas),
    {
      name: 'Entropy of factor, preference and task types (at most 1)',
      value:
        entropy === undefined
          ? UNKNOWN
          : [entropy.factorTypes, entropy.preferenceTypes, entropy.taskTypes]
              .map((value) => value.toFixed(2))
              .join(', '),
      interval: '',
    },
  ];
}

const UNKNOWN = 'unknown';

function describeShare(name: string, figure: ShareFigure | undefined): FigureText {
  if (figure === undefined) return { name, value: UNKNOWN, interval: '' };
  const { share, count, of, interval } = figure;
  return {
    name,
    value: `${formatPercent(share)} % (${formatNumber(count)} of ${formatNumber(of)})`,
    interval: `${formatPercent(interval.low)}–${formatPercent(interval.high)} %`,
  };
}

function describeSampled(name: string, figure: SampledFigure | undefined, decimals: number): FigureText {
  if (figure === undefined) return { name, value: UNKNOWN, interval: '' };
  const { mean, interval } = figure;
  return {
    name,
    value: mean.toFixed(decimals),
    interval:
      interval === undefined ? '' : `${interval.low.toFixed(decimals)}–${interval.high.toFixed(decimals)}`,
  };
}
