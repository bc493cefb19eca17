import { groupBy } from '../../../rules/group-by';
import type { TableColumn } from '../../../schemas/text/table';
import type { LeaderboardView, ResultColumn } from '../answers';
import { useAnswer, ViewLink, type ViewPlace } from '../../parts/address';
import { NumberRow } from './number-row';
import { Paragraph, Text } from '../../parts/text';

interface LeaderboardsProps extends ViewPlace {
  readonly columns: readonly ResultColumn[];
  readonly version: number;
}

/** Renders every model in every context with its scores. A model links to its instances, worst first. */
export function Leaderboards({ columns, version, address, navigate }: LeaderboardsProps) {
  const { value: boards = [] } = useAnswer<readonly LeaderboardView[]>('/api/leaderboards', version);
  return (
    <>
      {boards.map((board) => (
        <section key={board.above.join()}>
          {board.above.map((line) => (
            <Paragraph key={line} kind="facts" text={line} />
          ))}
          <div class="scores" role="group" aria-label={board.above[0]} tabIndex={0}>
            <table>
              <Head columns={board.columns} />
              {[...groupBy(board.rows, ({ column }) => column.context)].map(([context, rows]) => (
                <tbody key={context}>
                  <tr>
                    <th scope="rowgroup" colSpan={board.columns.length + 1}>
                      context {context}
                    </th>
                  </tr>
                  {rows.map(({ column, numbers }) => (
                    <NumberRow
                      key={column.model}
                      name={<ModelLink {...{ columns, column, address, navigate }} />}
                      numbers={numbers}
                    />
                  ))}
                </tbody>
              ))}
            </table>
          </div>
        </section>
      ))}
      {columns.length > 1 && (
        <p>
          <ViewLink to={{ sort: 'disagreement', column: '', from: '' }} {...{ address, navigate }}>
            Instances whose scores differ most
          </ViewLink>
        </p>
      )}
    </>
  );
}

function Head({ columns }: { readonly columns: readonly TableColumn[] }) {
  return (
    <thead>
      <tr>
        <th scope="col">Model</th>
        {columns.map(({ title, group }, at) => (
          <th key={at} scope="col" class="number">
            {group === undefined ? title : `${group}, ${title}`}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function ModelLink({
  columns,
  column,
  address,
  navigate,
}: ViewPlace & Pick<LeaderboardsProps, 'columns'> & Pick<LeaderboardView['rows'][number], 'column'>) {
  const name = <Text text={column.model} />;
  const known = columns.find((one) => buildKey(one) === buildKey(column));
  // Its rows were not read yet.
  if (known === undefined) return name;
  return (
    <ViewLink to={{ column: `${known.number}`, sort: 'score', from: '' }} {...{ address, navigate }}>
      {name}
    </ViewLink>
  );
}

function buildKey(column: Omit<ResultColumn, 'number'>): string {
  const { source, task, model, context, evaluator, evaluator_form, decomposer } = column;
  return JSON.stringify([source, task, model, context, evaluator, evaluator_form, decomposer]);
}
