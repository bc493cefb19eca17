import type { SummaryTable, SummaryView } from '../answers';
import { useAnswer } from '../../parts/address';
import { NumberRow } from './number-row';
import { Paragraph, Text } from '../../parts/text';

/** Renders the progress of a run, the quality of its data, and the verdicts on them. */
export function Summary({ version }: { readonly version: number }) {
  const { value } = useAnswer<SummaryView>('/api/summary', version);
  if (value === undefined) return null;
  const { facts, warnings, tables } = value;
  return (
    <>
      {facts.map((fact) => (
        <Paragraph key={fact} kind="facts" text={fact} />
      ))}
      {warnings.map((warning) => (
        <Paragraph key={warning} kind="problem" text={warning} />
      ))}
      {tables.map((table) => (
        <Table key={table.title} {...table} />
      ))}
    </>
  );
}

function Table({ title, columns, rows }: SummaryTable) {
  return (
    <section>
      <h2>
        <Text text={title} />
      </h2>
      <div class="scores" role="group" aria-label={title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((name, at) =>
                name === '' ? (
                  <td key={at} />
                ) : (
                  <th key={at} scope="col" class={at === 0 ? '' : 'number'}>
                    {name}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name = '', ...numbers]) => (
              <NumberRow key={name} name={name} numbers={numbers} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
