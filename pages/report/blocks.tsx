import type { ComponentChild, ComponentChildren } from 'preact';
import type { Table } from '../../schemas/text/table';
import { NumberTable } from '../parts/table';
import { Text } from '../parts/text';

interface TablesProps {
  readonly tables: readonly Table<unknown>[];
  readonly label: string;
}

/** Renders tables beside each other, as many as fit. */
export function TablesBeside({ tables, label }: TablesProps) {
  return (
    <div class="beside">
      {tables.map((table) => (
        <div>
          <NumberTable table={table} label={label} />
        </div>
      ))}
    </div>
  );
}

interface FoldProps {
  readonly summary: ComponentChild;
  readonly children: ComponentChildren;
}

/** Renders contents that unfold when a reader selects their summary. Printed pages show them in full. */
export function Fold({ summary, children }: FoldProps) {
  return (
    <details class="printed">
      <summary>{summary}</summary>
      {children}
    </details>
  );
}

interface WarningProps {
  readonly title: string;
  readonly text: string;
}

/** Renders what a reader must know before the numbers. */
export function Warning({ title, text }: WarningProps) {
  return (
    <p class="warning">
      <strong>{title}</strong> <Text text={text} />
    </p>
  );
}
