import { useEffect, useRef, useState } from 'preact/hooks';
import type { Exploration, InstancePage, ListedInstance, ResultColumn } from '../answers';
import { formatCount, formatNumber } from '../../../schemas/text/count-text';
import { type Address, getFilter, ViewLink, type ViewPlace } from '../../parts/address';
import { Badge, Problem, Text, TextList } from '../../parts/text';

interface ListProps extends ViewPlace {
  readonly exploration: Exploration;
  readonly page: InstancePage | undefined;
  readonly error: string | undefined;
  /** The version of the sources when this page was opened. */
  readonly opened: number;
}

export function InstanceList({ exploration, page, error, address, navigate, opened }: ListProps) {
  return (
    <section class="list" aria-label="Instances">
      <Filters exploration={exploration} address={address} navigate={navigate} />
      <Problem text={error} />
      {page !== undefined && (
        <>
          <Position page={page} address={address} navigate={navigate} />
          <ScoreKey columns={exploration.columns} />
          <ol class="rows" start={page.from + 1}>
            {page.rows.map((row) => (
              <Row
                key={`${row.persona} ${row.type}`}
                row={row}
                columns={exploration.columns}
                address={address}
                navigate={navigate}
                isNew={row.version > opened && page.progress.live}
              />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function explainNoRows({ matching, progress }: InstancePage, isFiltered: boolean): string {
  if (matching > 0) return `The list ends at ${formatNumber(matching)}.`;
  if (progress.reading) return 'No instances yet.';
  return isFiltered ? 'No instance matches.' : 'There are no instances.';
}

function Position({ page, address, navigate }: ViewPlace & { readonly page: InstancePage }) {
  const { from, rows, matching, progress } = page;
  const isFiltered = Object.keys(getFilter(address)).length > 0;
  const total = progress.total ?? progress.indexed;
  // An old link may lead beyond the end of the list.
  const previousFrom = Math.max(0, Math.min(from, matching) - PAGE_ROWS);
  const turn = (rel: string, name: string, to: number) => (
    <ViewLink rel={rel} to={{ from: to === 0 ? '' : String(to) }} {...{ address, navigate }}>
      {name}
    </ViewLink>
  );
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
        {from > 0 && turn('prev', 'Previous', previousFrom)}{' '}
        {from + rows.length < matching && turn('next', 'Next', from + PAGE_ROWS)}
      </p>
    </div>
  );
}

/** Renders the key to the columns whose scores the rows show. */
function ScoreKey({ columns }: { readonly columns: readonly ResultColumn[] }) {
  if (columns.length === 0) return null;
  return (
    <details class="score-key">
      <summary>Scores: what was evaluated, and by whom</summary>
      <ColumnNames columns={columns} />
    </details>
  );
}

/** Renders the names of the columns as a numbered list. */
export function ColumnNames({ columns }: { readonly columns: readonly ResultColumn[] }) {
  return <TextList texts={columns.map((column) => nameColumn(column, columns))} />;
}

/** Same as on the server. */
const PAGE_ROWS = 50;

/** Columns of results whose scores a row shows, unless one is chosen. */
const MOST_SCORES = 6;

interface RowProps extends ViewPlace {
  readonly row: ListedInstance;
  readonly columns: readonly ResultColumn[];
  readonly isNew: boolean;
}

function Row({ row, columns, address, navigate, isNew }: RowProps) {
  const target = { instance: row.persona, 'type-of': row.type, s: '', view: '', work: '' };
  const isOpen = address['instance'] === row.persona && address['type-of'] === row.type;
  const facts = [row.factorType, row.preferenceType, row.task, formatCount(row.length, 'character')].filter(
    Boolean,
  );
  const { column } = address;
  const scores =
    column === undefined
      ? row.scores.slice(0, MOST_SCORES)
      : row.scores.filter((one) => String(one.column) === column);
  return (
    <li>
      <ViewLink to={target} current={isOpen && 'true'} {...{ address, navigate }}>
        <span class="title">
          <Text text={row.persona} /> <Badge kind={row.type}>{row.type}</Badge>
          {row.verdict !== undefined && <Badge kind={row.verdict}>{row.verdict}</Badge>}
          {(row.unsatisfied ?? 0) > 0 && <Badge kind="warning">{row.unsatisfied} unsatisfied</Badge>}
          {isNew && <Badge kind="new">new</Badge>}
        </span>
        <span class="request">
          <Text text={row.request} mark={address['q']} />
        </span>
        <span class="facts">
          <Text text={facts.join(' · ')} />
          {scores.map((score) => (
            <Badge key={score.column} kind="score">
              {columns.length > 1 && `${score.column + 1}: `}
              {describeScore(columns[score.column]?.task, score.state, score.value)}
            </Badge>
          ))}
          {scores.length < row.scores.length &&
            ` ${scores.length} of ${formatCount(row.scores.length, 'score')}`}
        </span>
      </ViewLink>
    </li>
  );
}

const RANGES = { inference: 'F1 (0–1)', generation: 'Score (1–10)', choice: 'Right (0 or 1)' } as const;

export function describeScore(task: string | undefined, state: string, value: number | null): string {
  if (state !== 'scored' && state !== 'context-length') return state;
  if (value === null) return 'no score';
  if (task === 'choice') return value === 1 ? 'right' : 'wrong';
  return task === 'inference' ? `F1 ${value.toFixed(2)}` : `${value}/10`;
}

function Filters({ exploration, address, navigate }: ViewPlace & Pick<ListProps, 'exploration'>) {
  const { facets, columns } = exploration;
  const filter = getFilter(address);
  const others = Object.keys(filter).filter((key) => key !== 'q').length;
  // The panel stays open when its last filter is cleared.
  const [isOpen, setOpen] = useState(others > 0);
  const measured = RANGES[columns[Number(filter['column'] ?? 0)]?.task ?? 'inference'];
  const set = (key: string, value: string) => navigate({ [key]: value, from: '' }, 'replace');
  const select = (
    key: string,
    label: string,
    options: readonly (readonly [string, string])[],
    unset = 'any',
  ) =>
    options.length > 0 && (
      <label>
        {label}
        <select value={filter[key] ?? ''} onChange={(event) => set(key, event.currentTarget.value)}>
          <option value="">{unset}</option>
          {options.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
    );
  const input = (key: string, label: string, type: InputType = 'search') => (
    <label>
      {label}
      <TypedInput value={filter[key] ?? ''} type={type} onInput={(value) => set(key, value)} />
    </label>
  );
  return (
    <form role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="search">
        Search in messages
        <TypedInput
          id="search"
          value={filter['q'] ?? ''}
          type="search"
          onInput={(value) => set('q', value)}
        />
      </label>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Filters{others > 0 ? ` (${others})` : ''}</summary>
        <div class="filters">
          {input('persona', 'Persona')}
          {select('type', 'Type', pair(facets.types))}
          {input('factor', 'Context factor')}
          {select('factorType', 'Factor type', pair(facets.factorTypes))}
          {input('preference', 'Preference')}
          {select('preferenceType', 'Preference type', pair(facets.preferenceTypes))}
          {select('task', 'Task', pair(facets.tasks))}
          {input('minLength', 'Characters at least', 'number')}
          {input('maxLength', 'Characters at most', 'number')}
          {select('verdict', 'Verdict', exploration.verdictsVersion > 0 ? VERDICTS : [])}
          {select('failure', 'Failure', [
            ...(exploration.failures === undefined ? [] : RUN_FAILURES),
            ...(columns.length === 0 ? [] : RESULT_FAILURES),
          ])}
          {select(
            'column',
            'Scores of',
            columns.map((column) => [String(column.number), numberColumn(column, columns)] as const),
            'the first',
          )}
          {columns.length > 0 && input('minScore', `${measured} at least`, 'number')}
          {columns.length > 0 && input('maxScore', `${measured} at most`, 'number')}
          {select('sort', 'Order', columns.length === 0 ? ORDERS.slice(0, 1) : ORDERS, 'as in the data')}
        </div>
      </details>
      {Object.keys(filter).length > 0 && (
        <button type="button" onClick={() => navigate({ ...clear(filter), from: '' })}>
          Clear all filters
        </button>
      )}
    </form>
  );
}

const VERDICTS = [
  ['accepted', 'accepted'],
  ['rejected', 'rejected'],
  ['undecided', 'undecided'],
  ['not-solvable', 'not solvable'],
  ['not-challenging', 'not challenging'],
  ['not-contrasting', 'not contrasting'],
  ['unverified', 'not verified'],
] as const;
const ORDERS = [
  ['length', 'longest first'],
  ['score', 'lowest score first'],
  ['disagreement', 'most disagreement first'],
] as const;
const RUN_FAILURES = [
  ['unsatisfied', 'unsatisfied dialogues'],
  ['bad-answers', 'bad answers'],
] as const;
const RESULT_FAILURES = [
  ['missing', 'missing scores'],
  ['context-length', 'history too long'],
  ['open', 'open scores'],
] as const;

function pair(values: readonly string[]): (readonly [string, string])[] {
  return values.map((value) => [value, value]);
}

function clear(filter: Address): Address {
  return Object.fromEntries(Object.keys(filter).map((key) => [key, '']));
}

/**
 * Names a column of results, such as `gpt-6.1-terra, inference, full, by claude-opus-5-5`.
 * @param columns all columns: the name includes the results folder if there are several
 */
function nameColumn(
  { model, task, context, evaluator, decomposer, source }: ResultColumn,
  columns: readonly ResultColumn[],
): string {
  const decomposed = decomposer === null || decomposer === evaluator ? '' : `, decomposed by ${decomposer}`;
  const folder = columns.every((one) => one.source === source) ? '' : ` (${source})`;
  const evaluated = task === 'choice' ? '' : `, by ${evaluator}${decomposed}`;
  return `${model}, ${task}, ${context}${evaluated}${folder}`;
}

/** Names a column with the number that lists show for it. */
export function numberColumn(column: ResultColumn, columns: readonly ResultColumn[]): string {
  const name = nameColumn(column, columns);
  return columns.length > 1 ? `${column.number + 1}. ${name}` : name;
}

type InputType = 'number' | 'search';

interface TypedInputProps {
  readonly value: string;
  readonly type: InputType;
  readonly id?: string;
  readonly onInput: (value: string) => void;
}

/** Renders an input whose value applies after a short pause in typing. */
function TypedInput({ value, type, id, onInput }: TypedInputProps) {
  const [typed, setTyped] = useState(value);
  const waiting = useRef<number | undefined>(undefined);
  // Links and cleared filters also change the value.
  useEffect(() => {
    if (waiting.current === undefined) setTyped(value);
  }, [value]);
  const props = {
    value: typed,
    ...(id === undefined ? {} : { id }),
    onInput: ({ currentTarget: { value: text } }: { readonly currentTarget: HTMLInputElement }) => {
      setTyped(text);
      clearTimeout(waiting.current);
      waiting.current = window.setTimeout(() => {
        waiting.current = undefined;
        onInput(text);
      }, TYPING_MS);
    },
  };
  return type === 'number' ? <input {...props} type="number" step="any" /> : <input {...props} type={type} />;
}

const TYPING_MS = 250;
