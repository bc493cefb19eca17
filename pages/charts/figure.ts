import type { Topic } from '../../runs/tables/section';

/** A chart with the numbers behind it. */
export interface Figure {
  /** Name of its file, without extension. */
  readonly name: string;
  readonly title: string;
  readonly note: string;
  /** SVG that this program drew. */
  readonly drawing: string;
  /** Half of the page if absent. */
  readonly width?: 'half' | 'third';
  readonly legend?: readonly LegendKey[];
  readonly columns: readonly string[];
  /** Unrounded numbers of the results. */
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** A name with the mark of its series as SVG. */
export interface LegendKey {
  readonly name: string;
  readonly drawing: string;
}

/** The charts of a section of an evaluation, or those of its scores. */
export interface SectionCharts {
  readonly topic: Topic | 'scores';
  readonly figures: readonly Figure[];
}

/** Returns the figures of a section; empty if it has none. */
export function getFigures(
  charts: readonly SectionCharts[],
  topic: SectionCharts['topic'],
): readonly Figure[] {
  return charts.find((section) => section.topic === topic)?.figures ?? [];
}
