import { useEffect, useRef, useState } from 'preact/hooks';
import type { Exploration, ResultColumn } from '../answers';
import { type Navigate, usePlace } from '../../parts/address';
import { LABELLED_STATE_TEXTS } from '../../../schemas/review/label-texts';
import { joinIds, nameColumn, readChosen } from '../columns';
import { FAILURE_TEXTS, ORDER_TEXTS, OUTCOME_TEXTS, SCORE_FAILURES, VERDICT_TEXTS } from '../worded-filter';

/** Renders the search and, folded, the filters, the chosen scores and the order of the list. */
export function Filters({ exploration }: { readonly exploration: Exploration }) {
  const { address } = usePlace();
  const { facets, columns } = exploration;
  const chosenColumns = readChosen(address, columns);
  const [main = columns[0], second] = chosenColumns;
  return (
    <form role="search" onSubmit={(event) => event.preventDefault()}>
      <Field name="q" id="search" label="Search in messages" />
      <details>
        <summary>Filters and order</summary>
        <div class="filters">
          <Field name="persona" label="Persona" />
          <Select name="type" label="Type" options={pair(facets.types)} />
          <Field name="factor" label="Context factor" />
          <Select name="factorType" label="Factor type" options={pair(facets.factorTypes)} />
          <Field name="preference" label="Preference" />
          <Select name="preferenceType" label="Preference type" options={pair(facets.preferenceTypes)} />
          <Select name="task" label="Task" options={pair(facets.tasks)} />
          <Select
            name="verdict"
            label="Verdict of the model"
            options={exploration.hasVerdicts ? VERDICTS : []}
          />
          <Select
            name="labels"
            label="Verdict of people"
            options={exploration.hasLabels ? Object.entries(LABELLED_STATE_TEXTS) : []}
          />
          <Select name="failure" label="Failure" options={listFailures(exploration)} />
        </div>
        <Range name="Length" unit="Characters" from="minLength" to="maxLength" />
        {main !== undefined && (
          <Range
            name={`Score of ${nameColumn(main, columns)}`}
            unit={RANGES[main.task]}
            from="minScore"
            to="maxScore"
          />
        )}
        {main !== undefined && second !== undefined && (
          <Select
            name="outcome"
            label={`${nameColumn(main, chosenColumns)}, compared with ${nameColumn(second, chosenColumns)}`}
            options={OUTCOMES}
          />
        )}
        <ColumnChooser columns={columns} />
        <Select
          name="sort"
          label="Order"
          options={columns.length === 0 ? ORDERS.slice(0, 2) : ORDERS}
          unset="as in the data"
        />
      </details>
    </form>
  );
}

/** Renders a box for each column of results. The first one that is chosen is filtered and sorted by. */
function ColumnChooser({ columns }: Pick<Exploration, 'columns'>) {
  const { address, navigate } = usePlace();
  if (columns.length < 2) return null;
  const chosenColumns = readChosen(address, columns);
  const toggle = (column: ResultColumn) => {
    const nextColumns = chosenColumns.includes(column)
      ? chosenColumns.filter((chosenColumn) => chosenColumn !== column)
      : [...chosenColumns, column];
    navigate({ columns: joinIds(nextColumns), outcome: '', from: '0' }, 'replace');
  };
  return (
    <details>
      <summary>Scores in the list{chosenColumns.length === 0 ? '' : ` (${chosenColumns.length})`}</summary>
      <fieldset>
        <legend>
          Choose models. The list is filtered and sorted by the first one, which is compared with the second.
        </legend>
        {columns.map((column) => {
          const place = chosenColumns.indexOf(column);
          return (
            <label key={column.id} class="choice">
              <input type="checkbox" checked={place >= 0} onChange={() => toggle(column)} />
              {nameColumn(column, columns)}
              {place >= 0 && chosenColumns.length > 1 && ` (${place + 1})`}
            </label>
          );
        })}
      </fieldset>
    </details>
  );
}

const RANGES = { inference: 'F1 (0–1)', generation: 'Score (1–10)', choice: 'Right (0 or 1)' } as const;
const VERDICTS = Object.entries(VERDICT_TEXTS);
const ORDERS = Object.entries(ORDER_TEXTS);
const OUTCOMES = Object.entries(OUTCOME_TEXTS);
const FAILURES = Object.entries(FAILURE_TEXTS);
/** Failures that data without a run have, too. */
const DATA_FAILURES: readonly string[] = ['unsatisfied', 'first-answer', 'leakage'];

/** Lists the failures that the sources can have. */
function listFailures({ failures, columns }: Exploration): Options {
  return FAILURES.filter(([failure]) =>
    SCORE_FAILURES.includes(failure)
      ? columns.length > 0
      : failures !== undefined || DATA_FAILURES.includes(failure),
  );
}

type Options = readonly (readonly [value: string, name: string])[];

function pair(values: readonly string[]): Options {
  return values.map((value) => [value, value]);
}

interface FieldProps {
  /** Key in the address. */
  readonly name: string;
  readonly label: string;
}

function Select({
  name,
  label,
  options,
  unset = 'any',
}: FieldProps & { readonly options: Options; readonly unset?: string }) {
  const { address, navigate } = usePlace();
  if (options.length === 0) return null;
  return (
    <label>
      {label}
      <select
        value={address[name] ?? ''}
        onChange={(event) => set(navigate, name, event.currentTarget.value)}
      >
        <option value="">{unset}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function Field({
  name,
  label,
  id,
  type = 'search',
}: FieldProps & { readonly id?: string; readonly type?: 'number' | 'search' }) {
  const { address, navigate } = usePlace();
  return (
    <label>
      {label}
      <TypedInput
        value={address[name] ?? ''}
        type={type}
        id={id}
        onInput={(value) => set(navigate, name, value)}
      />
    </label>
  );
}

interface RangeProps {
  readonly name: string;
  readonly unit: string;
  readonly from: string;
  readonly to: string;
}

/** Renders the two limits of a range beside each other. */
function Range({ name, unit, from, to }: RangeProps) {
  return (
    <fieldset class="filters">
      <legend>{name}</legend>
      <Field name={from} label={`${unit} at least`} type="number" />
      <Field name={to} label={`${unit} at most`} type="number" />
    </fieldset>
  );
}

function set(navigate: Navigate, name: string, value: string): void {
  // An address without any part is that of the overview.
  navigate({ [name]: value, from: '0' }, 'replace');
}

interface TypedInputProps {
  readonly value: string;
  readonly type: 'number' | 'search';
  readonly id: string | undefined;
  readonly onInput: (value: string) => void;
}

/** Renders an input whose value applies after a short pause in typing. */
function TypedInput({ value, type, id, onInput }: TypedInputProps) {
  const [draft, setTyped] = useState(value);
  const timer = useRef<number | undefined>(undefined);
  // Links and cleared filters also change the value.
  useEffect(() => {
    if (timer.current === undefined) setTyped(value);
  }, [value]);
  const props = {
    value: draft,
    ...(id === undefined ? {} : { id }),
    onInput: ({ currentTarget: { value: text } }: { readonly currentTarget: HTMLInputElement }) => {
      setTyped(text);
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => {
        timer.current = undefined;
        onInput(text);
      }, TYPING_MS);
    },
  };
  return type === 'number' ? (
    <input {...props} type="number" step="any" />
  ) : (
    <input {...props} type={type} maxLength={LONGEST_SEARCH} />
  );
}

/** The search is a part of the address, which servers and proxies limit. */
const LONGEST_SEARCH = 1_000;

const TYPING_MS = 250;
