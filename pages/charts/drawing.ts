import type * as PlotLibrary from '@observablehq/plot';
import { escapeControls } from '../../schemas/text/control-characters';
import type { Figure, LegendKey } from './figure';

/** A renderer of charts as SVG that needs no browser. */
export interface Pen {
  readonly plot: typeof PlotLibrary;
  /**
   * Returns the SVG of a chart. It is safe as markup: Plot sets every name and number as text of a node, which is escaped when it is written.
   * @param label description of the chart for people who do not see it
   */
  readonly draw: (label: string, options: PlotLibrary.PlotOptions) => string;
}

export async function openPen(): Promise<Pen> {
  // Loaded here, because only charts need them. Plot is an ES module.
  const [plot, { default: domino }] = await Promise.all([
    import('@observablehq/plot'),
    import('@mixmark-io/domino'),
  ]);
  const document = domino.createDocument();
  return {
    plot,
    draw: (label, options) => {
      const svg = plot.plot({
        width: WIDTHS.half,
        marginBottom: 40,
        // Room for the name of the axis above its highest number.
        insetTop: 6,
        ...options,
        className: 'plot',
        document,
      });
      // The page's policy allows only its own style sheet, which contains these rules.
      svg.querySelector('style')?.remove();
      // The picture has one name; the names of its groups mean nothing by themselves.
      for (const part of svg.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
      svg.setAttribute('role', 'img');
      svg.setAttribute('aria-label', label);
      svg.setAttribute('font-size', '11.5');
      return escapeControls(roundNumbers(svg.outerHTML));
    },
  };
}

/** Points from which a line shows a course, and a scatter a relation. */
export const LEAST_POINTS = 3;

/** Returns whether there are different values to compare. */
export function hasSeveral(values: readonly string[]): boolean {
  return new Set(values).size >= 2;
}

/** Widths of charts in pixels: two halves or three thirds fit beside each other on a page of its full width. */
export const WIDTHS: Readonly<Record<NonNullable<Figure['width']>, number>> = { half: 648, third: 424 };

/** Rounds coordinates to a hundredth of a pixel: a third of the size, and the same on every processor. */
function roundNumbers(markup: string): string {
  return markup.replaceAll(/-?\d+\.\d{5,}(?:e-?\d+)?/g, (number) => `${Number(Number(number).toFixed(2))}`);
}

/** The mark of a series. Its shape identifies it even without its color. */
export interface Series {
  readonly name: string;
  readonly color: string;
  readonly symbol: PlotLibrary.SymbolType;
  /** Opacity of its bars. */
  readonly opacity?: number;
}

/** Builds a series for each name, in order. */
export function buildSeries(names: Iterable<string>): Series[] {
  return [...new Set(names)].map((name, at) => ({
    name,
    color: `var(--s${(at % COLORS) + 1})`,
    symbol: SYMBOLS[at % SYMBOLS.length] ?? 'circle',
  }));
}

const COLORS = 8;
// Their number does not divide that of the colors, so pairs repeat only after 56 series.
const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'wye'] as const;

/** Builds the scales that show series by color and shape. */
export function buildSeriesScales(series: readonly Series[]) {
  const domain = series.map(({ name }) => name);
  return {
    color: { domain, range: series.map(({ color }) => color) },
    symbol: { domain, range: series.map(({ symbol }) => symbol) },
  };
}

/** Draws the marks of the series, in the shape of the chart's marks. */
export function drawLegend(
  { plot, draw }: Pen,
  series: readonly Series[],
  marks: keyof typeof KEYS = 'dot',
): LegendKey[] {
  return series.map((entry) => ({
    name: entry.name,
    drawing: draw(entry.name, {
      width: KEY_WIDTH,
      height: 14,
      margin: 0,
      marginBottom: 0,
      insetTop: 0,
      axis: null,
      x: { domain: [0, 1] },
      y: { domain: [0, 1] },
      marks: KEYS[marks](plot, entry),
    }),
  }));
}

const KEY_WIDTH = 24;

/** Builds the marks of a legend's key, by the shape of the marks of the chart. */
const KEYS = {
  dot: drawDot,
  line: (plot: typeof PlotLibrary, series: Series) => [
    plot.ruleY([0.5], { x1: 0, x2: 1, stroke: series.color, strokeWidth: 1.5 }),
    ...drawDot(plot, series),
  ],
  bar: (plot: typeof PlotLibrary, { color, opacity = 1 }: Series) => [
    plot.rect([0], { x1: 0, x2: 1, y1: 0.1, y2: 0.9, fill: color, fillOpacity: opacity }),
  ],
} as const;

function drawDot(plot: typeof PlotLibrary, { color, symbol }: Series) {
  return [
    plot.dot([0], { frameAnchor: 'middle', symbol, r: 4.5, stroke: color, strokeWidth: 1.5, fill: color }),
  ];
}

/** Form of labels: the longest in characters, and how much of a name's beginning a shortened one keeps. */
interface LabelForm {
  readonly longest: number;
  readonly head: number;
}

/** Labels of an axis. The end of a model's name distinguishes it. */
const AXIS_LABEL: LabelForm = { longest: 34, head: 12 };

/** Labels that two names share, or that stand beside marks. */
export const SHORT_LABEL: LabelForm = { longest: 20, head: 0 };

/**
 * Shortens the names that a chart shows together, and keeps them different: without the provider that all share, then with
 * as many more characters as they need.
 * @returns the label of each name
 */
export function shortenNames(
  names: Iterable<string>,
  { longest, head }: LabelForm = AXIS_LABEL,
): (name: string) => string {
  const distinctNames = [...new Set(names)];
  const longestName = Math.max(0, ...distinctNames.map((name) => name.length));
  const [provider = ''] = PROVIDER.exec(distinctNames[0] ?? '') ?? [];
  const isShared = longestName > longest && distinctNames.every((name) => name.startsWith(provider));
  const begin = isShared ? provider.length : 0;
  for (let length = longest; ; length += 1) {
    const labels = new Map(
      distinctNames.map((name) => {
        const part = name.slice(begin);
        const cut = Math.max(0, part.length - length + head + 1);
        // Longer labels begin with a word: half a size, such as 0B for 70B, would mislead.
        const from = length === longest ? cut : findWordStart(part, cut);
        const isShort = part.length <= length || from <= head;
        return [name, isShort ? part : `${part.slice(0, head)}…${part.slice(from)}`] as const;
      }),
    );
    const areDifferent = new Set(labels.values()).size === labels.size;
    if (areDifferent || length >= longestName) return (name) => labels.get(name) ?? name;
  }
}

const PROVIDER = /^[a-z-]+:/;

function findWordStart(name: string, at: number): number {
  return name.slice(0, at).search(/[^-/_:@ ]*$/);
}

/** Computes the width of a chart and of the labels of its axis on the left, in pixels. */
export function layOutLabels(labels: readonly string[]): {
  readonly width: number;
  readonly marginLeft: number;
} {
  const marginLeft = computeLabelMargin(labels);
  return { marginLeft, width: Math.max(WIDTHS.half, marginLeft + NARROWEST_PANELS) };
}

const NARROWEST_PANELS = 340;

/** Computes the width of the labels of an axis on the left, in pixels. */
export function computeLabelMargin(labels: readonly string[]): number {
  return 24 + Math.max(26, ...labels.map(computeTextWidth));
}

/** Position of a label relative to its mark. */
export const LABEL_SIDES = {
  right: { textAnchor: 'start', dx: 9, dy: 0 },
  left: { textAnchor: 'end', dx: -9, dy: 0 },
  above: { textAnchor: 'middle', dx: 0, dy: -12 },
  below: { textAnchor: 'middle', dx: 0, dy: 12 },
  aboveLeft: { textAnchor: 'end', dx: 4, dy: -13 },
  belowRight: { textAnchor: 'start', dx: -4, dy: 15 },
  aboveRight: { textAnchor: 'start', dx: -4, dy: -13 },
} as const;
type LabelSide = keyof typeof LABEL_SIDES;

/**
 * Places each mark's label on the side where it covers the fewest other marks, labels and edges of the chart; among such sides, on the first.
 * @param marks positions in pixels
 * @param width pixels from the axis to the edge of the chart
 */
export function placeLabels(
  marks: readonly { readonly x: number; readonly y: number; readonly label: string }[],
  width: number,
): LabelSide[] {
  const occupiedBoxes = marks.map(({ x, y }) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 }));
  return marks.map(({ x, y, label }, at) => {
    const length = computeTextWidth(label);
    const otherBoxes = occupiedBoxes.filter((_, index) => index !== at);
    const countCovered = (box: Box) =>
      otherBoxes.filter(
        (otherBox) =>
          box.right >= otherBox.left &&
          box.left <= otherBox.right &&
          box.bottom >= otherBox.top &&
          box.top <= otherBox.bottom,
      ).length + Number(box.left < 0 || box.right > width);
    const boxes = listSides().map((side) => {
      const { textAnchor, dx, dy } = LABEL_SIDES[side];
      const left = x + dx - (textAnchor === 'start' ? 0 : textAnchor === 'end' ? length : length / 2);
      const box = { left, right: left + length, top: y + dy - 6, bottom: y + dy + 6 };
      return { ...box, side, covered: countCovered(box) };
    });
    const [bestBox] = boxes.toSorted((a, b) => a.covered - b.covered);
    if (bestBox !== undefined) occupiedBoxes.push(bestBox);
    return bestBox?.side ?? 'right';
  });
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export function listSides(): LabelSide[] {
  return ['right', 'left', 'above', 'below', 'aboveRight', 'belowRight', 'aboveLeft'];
}

/** Estimates the width of a text in pixels. */
function computeTextWidth(text: string): number {
  return 6.4 * text.length;
}

/** Formats a name as a part of a file name. */
export function formatFileName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
}
