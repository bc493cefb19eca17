import type { ReportTable } from '../report/tables/section';
import type { TableView } from './answers';

/** Builds the view of a report's table. A line across all columns is a row with that cell only. */
export function buildTableView(
  title: string,
  { above, columns, rows }: Pick<ReportTable, 'above' | 'columns' | 'rows'>,
): TableView {
  return {
    title,
    above,
    columns: columns.map(({ title: name, group }) => (group === undefined ? name : `${group}, ${name}`)),
    rows: rows.map((row) => [row].flat().map((text) => ({ text }))),
  };
}
