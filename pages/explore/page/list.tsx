import type { Exploration, InstancePage, ListedInstance, ResultColumn } from '../answers';
import { joinIds, listShown, listUnknown, nameColumn, readChosen } from '../columns';
import { Filters } from './filters';
import { FailedRequest, WrongLink } from './problems';
import { VerdictBadges } from './verdict-badges';
import { ListHeading } from './list-heading';
import { formatCount, formatNumber } from '../../../schemas/text/count-text';
import { formatNames } from '../../../schemas/text/value-text';
import { getFilter, usePlace, ViewLink } from '../../parts/address';
import { Badge, Text } from '../../parts/text';

interface ListProps {
  readonly exploration: Exploration;
  readonly page: InstancePage | undefined;
  readonly error: string | undefined;
  /** The version of the sources when this page was opened. */
  readonly opened: number;
  /** True if the list is the main part of the page. */
  readonly isMain: boolean;
}

export function InstanceList({ exploration, page, error, opened, isMain }: ListProps) {
  return (
    <section class="list" aria-label="Instances">
      <ListHeading columns={exploration.columns} page={page} isMain={isMain} />
      <UnknownColumns exploration={exploration} />
      <Filters exploration={exploration} />
      <FailedRequest error={error} />
      {page !== undefined && (
        <>
          <Position page={page} />
          <ol class="rows" start={page.from + 1}>
            {page.rows.map((row) => (
              <Row
                key={`${row.persona} ${row.type}`}
                row={row}
                columns={exploration.columns}
                isNew={row.version > opened && page.progress.live}
              />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

/** Renders that the address chooses scores that are not here. While the results are read, they may still come. */
function UnknownColumns({ exploration: { columns, progress } }: Pick<ListProps, 'exploration'>) {
  const { address } = usePlace();
  const unknownIds = listUnknown(address, columns);
  if (unknownIds.length === 0 || progress.reading) return null;
  const names = formatNames(unknownIds);
  return (
    <WrongLink
      text={`This link names scores that are not here: ${names}. The list is shown without them. They may be of other results${progress.live ? ', or still to come' : ''}.`}
      to={{ columns: joinIds(readChosen(address, columns)), outcome: '', from: '0' }}
      place="Remove them from the link"
    />
  );
}

function explainNoRows({ matching, progress }: InstancePage, isFiltered: boolean): string {
  if (matching > 0) return `The list ends at ${formatNumber(matching)}.`;
  if (progress.reading) return 'No instances yet.';
  return isFiltered ? 'No instance matches.' : 'There are no instances.';
}

function Position({ page }: { readonly page: InstancePage }) {
  const { address } = usePlace();
  const { from, rows, matching, progress } = page;
  const isFiltered = Object.keys(getFilter(address)).length > 0;
  const total = progress.total ?? progress.indexed;
  // An old link may lead beyond the end of the list.
  const previousFrom = Math.max(0, Math.min(from, matching) - PAGE_ROWS);
  return (
    <div class="position">
      <p role="status">
        {rows.length === 0
          ? explainNoRows(page, isFiltered)
          : `${formatNumber(from + 1)}–${formatNumber(from + rows.length)} of ${formatNumber(matching)}`}
        {isFiltered && rows.length > 0 && ` that match`}
        {progress.reading && ` (read ${formatNumber(progress.indexed)} of ${formatNumber(total)})`}
      </p>
      <p>
        {from > 0 && (
          <ViewLink rel="prev" to={{ from: previousFrom === 0 ? '' : String(previousFrom) }}>
            Previous
          </ViewLink>
        )}{' '}
        {from + rows.length < matching && (
          <ViewLink rel="next" to={{ from: String(from + PAGE_ROWS) }}>
            Next
          </ViewLink>
        )}
      </p>
    </div>
  );
}

/** Same as on the server. */
const PAGE_ROWS = 50;

interface RowProps {
  readonly row: ListedInstance;
  readonly columns: readonly ResultColumn[];
  readonly isNew: boolean;
}

function Row({ row, columns, isNew }: RowProps) {
  const { address } = usePlace();
  const target = { instance: row.persona, 'type-of': row.type, s: '', m: '', view: '', work: '' };
  const isOpen = address['instance'] === row.persona && address['type-of'] === row.type;
  const facts = [row.factorType, row.preferenceType, row.task, formatCount(row.length, 'character')].filter(
    Boolean,
  );
  const shownColumns = listShown(address, columns);
  return (
    <li>
      <ViewLink to={target} current={isOpen && 'true'}>
        <span class="title">
          <Text text={row.persona} /> <Badge kind={row.type}>{row.type}</Badge>
          <VerdictBadges verdict={row.verdict} labels={row.labels} />
          {row.unsatisfied > 0 && <Badge kind="warning">{row.unsatisfied} unsatisfied</Badge>}
          {isNew && <Badge kind="new">new</Badge>}
        </span>
        <span class="request">
          <Text text={row.request} mark={address['q']} />
        </span>
        <span class="facts">
          <Text text={facts.join(' · ')} />
          {shownColumns.map((column) => {
            const score = row.scores.find((listedScore) => listedScore.column === column.number);
            return (
              score && (
                <Badge key={column.number} kind="score">
                  <Text
                    text={`${nameColumn(column, shownColumns)}: ${describeScore(column.task, score.state, score.value)}`}
                  />
                </Badge>
              )
            );
          })}
        </span>
      </ViewLink>
    </li>
  );
}

/** Formats a score so that its form shows its task; a missing one by its state. */
export function describeScore(task: string | undefined, state: string, value: number | null): string {
  if (state !== 'scored' && state !== 'context-length') return state;
  if (value === null) return 'no score';
  if (task === 'choice') return value === 1 ? 'right' : 'wrong';
  return task === 'inference' ? `F1 ${value.toFixed(2)}` : `${value}/10`;
}
