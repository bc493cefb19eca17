import { Fragment } from 'preact';
import type { ResultColumn, ResultView } from '../answers';
import { getHistoryTier } from '../../../schemas/evaluation/context';
import { formatLetter } from '../../../schemas/evaluation/choice';
import { formatCount } from '../../../schemas/text/count-text';
import { getRowResult } from '../../../schemas/evaluation/measure';
import type { Table } from '../../../schemas/text/table';
import { usePlace } from '../../parts/address';
import { NumberTable } from '../../parts/table';
import { nameColumn, readChosen } from '../columns';
import { describeScore } from './list';
import type { ViewProps } from './sessions';
import { Badge, LongText, Paragraph, Text } from '../../parts/text';

interface ResultsProps extends ViewProps {
  readonly columns: readonly ResultColumn[];
  /** Whether results may be added. */
  readonly mayGrow: boolean;
}

/** Renders two columns of an instance's results side by side. */
export function ResultsPanel({ columns, mayGrow, view }: ResultsProps) {
  const { address, navigate } = usePlace();
  const { results } = view;
  // The side that is not chosen here shows the model that is chosen for the list.
  const [main, secondColumn] = readChosen(address, columns);
  const getId = ({ column }: ResultView) => columns[column]?.id;
  const find = (id: string | undefined) => results.find((result) => id !== undefined && getId(result) === id);
  const first = find(address['a']) ?? find(main?.id) ?? results[0];
  const otherResults = results.filter((result) => result !== first);
  const sameTaskResults = otherResults.filter(({ row }) => row.task === first?.row.task);
  const second =
    find(address['b']) ??
    find(secondColumn?.id) ??
    sameTaskResults.find(({ row }) => row.model !== first?.row.model) ??
    sameTaskResults[0] ??
    otherResults[0];
  const choose = (key: 'a' | 'b', label: string, result: ResultView | undefined) => (
    <label>
      {label}
      <select
        value={result && getId(result)}
        onChange={(event) => navigate({ [key]: event.currentTarget.value }, 'replace')}
      >
        {results.map(({ column, row }) => {
          const resultColumn = columns[column];
          return (
            <option key={column} value={resultColumn?.id}>
              {resultColumn === undefined ? row.model : nameColumn(resultColumn, columns)}
            </option>
          );
        })}
      </select>
    </label>
  );
  return (
    <section>
      <h2>Results</h2>
      {first === undefined ? (
        <p>{mayGrow ? 'No results so far.' : 'This instance was not evaluated.'}</p>
      ) : (
        <>
          <div class="chooser">
            {choose('a', 'Left', first)}
            {second !== undefined && choose('b', 'Right', second)}
          </div>
          <div class="pair">
            <Result result={first} />
            {second !== undefined && <Result result={second} />}
          </div>
          {results.length > 2 && <NumberTable table={buildScoreTable(results)} />}
        </>
      )}
    </section>
  );
}

/** Builds every column's score, which is shown if there are more than the two side by side. */
function buildScoreTable(results: readonly ResultView[]): Table {
  return {
    title: 'All scores of this instance',
    names: 'Model',
    columns: ['Task', 'Context', 'Score', 'Evaluator'].map((title) => ({ title, isText: true })),
    rows: results.map(({ row }) => ({
      name: row.model,
      cells: [row.task, row.context, describeRow(row), row.evaluator],
    })),
  };
}

function describeRow(row: ResultRow): string {
  return describeScore(row.task, row.state, getRowResult(row));
}

function Result({ result: { row } }: { readonly result: ResultView }) {
  return (
    <div class="result">
      <h3>
        <Text text={row.model} />
      </h3>
      <Paragraph
        kind="facts"
        text={`${row.task}, context ${row.context}${row.task === 'choice' ? '' : `, by ${row.evaluator}`}`}
      />
      {getHistoryTier(row.context) !== undefined && (
        <Paragraph
          kind="facts"
          text={`The history has ${formatCount(row.n_prior_sessions, 'session')} and ${formatCount(row.prior_tokens, 'token')}. This page shows the persona's own sessions only.`}
        />
      )}
      <p>
        <Badge kind={row.state === 'scored' ? 'score' : 'warning'}>{describeRow(row)}</Badge>{' '}
        {row.precision !== null && row.recall !== null && (
          <span class="facts">
            precision {row.precision.toFixed(2)}, recall {row.recall.toFixed(2)}
          </span>
        )}
      </p>
      {row.missing_cause !== null && (
        <Paragraph
          kind="problem"
          text={`${row.missing_step ?? ''}, ${row.missing_kind ?? ''}: ${row.missing_cause}`}
        />
      )}
      {row.task === 'inference' && <Inference row={row} />}
      {row.task === 'generation' && <Generation row={row} />}
      {row.task === 'choice' && <Choice row={row} />}
      {row.memory_context !== null && <Memory row={row} context={row.memory_context} />}
    </div>
  );
}

type ResultRow = ResultView['row'];

function Inference({ row }: { readonly row: ResultRow }) {
  return (
    <>
      {row.inferred_preference !== null && (
        <>
          <h4>Inferred preference</h4>
          <Paragraph text={row.inferred_preference} />
        </>
      )}
      <Matches
        title="Inferred items in the true preference"
        items={row.inferred_checklist}
        labels={row.inferred_labels}
      />
      <Matches
        title="True items in the inferred preference"
        items={row.true_checklist}
        labels={row.true_labels}
      />
    </>
  );
}

interface MatchesProps {
  readonly title: string;
  readonly items: readonly string[] | null;
  readonly labels: ResultRow['true_labels'];
}

/** Renders one direction of a match (paper, 2.3). A missing score has none. */
function Matches({ title, items, labels }: MatchesProps) {
  if (items === null || labels === null) return null;
  return (
    <>
      <h4>{title}</h4>
      <ol>
        {items.map((item, at) => (
          <li key={at}>
            <Text text={item} /> <Badge kind={LABELS[labels[at] ?? '']}>{labels[at]}</Badge>
          </li>
        ))}
      </ol>
    </>
  );
}

const LABELS: Readonly<Record<string, string>> = {
  'Fully Covered': 'accepted',
  'Partially Covered': 'warning',
  'Not Covered': 'rejected',
};

/** Renders the options of a choice, with the right one and the chosen one. */
function Choice({ row }: { readonly row: ResultRow }) {
  return (
    <>
      <h4>Options</h4>
      <ol type="A">
        {(row.options ?? []).map((option, at) => {
          const letter = formatLetter(at);
          return (
            <li key={letter}>
              <Text text={option} /> {letter === row.true_option && <Badge kind="accepted">right</Badge>}{' '}
              {letter === row.chosen_option && (
                <Badge kind={row.choice === 'right' ? 'accepted' : 'rejected'}>
                  {row.choice === 'right' || row.choice === null ? 'chosen' : `chosen: ${row.choice}`}
                </Badge>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** Renders what a memory system returned, and the sessions that it should have used. */
function Memory({ row, context }: { readonly row: ResultRow; readonly context: string }) {
  const facts = [
    formatCount(row.memory_tokens ?? 0, 'token'),
    ...(row.memory_sessions === null ? [] : [`from sessions ${row.memory_sessions.join(', ') || 'none'}`]),
    `evidence in sessions ${row.evidence_sessions?.join(', ') || 'none'}`,
    // The page lists the own sessions, which have other numbers.
    ...(getHistoryTier(row.context) === undefined ? [] : ['numbered in the extended history']),
  ];
  return (
    <details>
      <summary>Context from the memory system: {facts.join('; ')}</summary>
      <LongText label="Context from the memory system" text={context === '' ? '(empty)' : context} />
    </details>
  );
}

function Generation({ row }: { readonly row: ResultRow }) {
  const parts = [
    ['Response', `Response of ${row.model}`, row.response],
    ['The judge’s analysis', `Analysis of ${row.evaluator}`, row.analysis],
  ] as const;
  return parts.map(
    ([title, label, text]) =>
      text !== null && (
        <Fragment key={title}>
          <h4>{title}</h4>
          <LongText label={label} text={text} />
        </Fragment>
      ),
  );
}
