import type { Interval } from '../../schemas/text/numbers';

interface BarProps {
  readonly value: number;
  readonly interval: Interval | null | undefined;
  readonly chance: number | undefined;
  /** Lowest and highest value that is possible. */
  readonly range: readonly [low: number, high: number];
}

/** Draws a value as a bar, its interval as a whisker, and chance as a line. The numbers stand beside it as text. */
export function Bar({ value, interval, chance, range: [low, high] }: BarProps) {
  const scale = (at: number) => Math.min(WIDTH, Math.max(0, ((at - low) / (high - low)) * WIDTH));
  return (
    <svg class="bar" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="ground" width={WIDTH} height={HEIGHT} />
      <rect class="value" y={3} width={scale(value)} height={HEIGHT - 6} />
      {interval && (
        <path
          class="whisker"
          d={`M${scale(interval.low)} 4V${HEIGHT - 4}M${scale(interval.low)} ${HEIGHT / 2}H${scale(interval.high)}M${scale(interval.high)} 4V${HEIGHT - 4}`}
        />
      )}
      {chance !== undefined && <path class="chance" d={`M${scale(chance)} 0V${HEIGHT}`} />}
    </svg>
  );
}

const WIDTH = 100;
const HEIGHT = 14;
