import { hashText } from '../../data/store/files';
import { writeDataState, writeInstances, type StoredInstance } from '../../data/run/evaluation-plan';
import { renderInteractionLog } from '../../data/prompts/evaluation-values';
import { readInstances } from '../../data/sets/read';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/store/data-error';
import { type PersonaFilter, requireChosen } from '../../data/sets/persona-filter';
import { readProvenance, type Origin } from '../../data/sets/provenance';
import type { Store } from '../../data/store/store';
import { groupBy } from '../../rules/group-by';
import { createTokenCounter } from '../../rules/statistics/tokens';
import {
  addPersonaHashes,
  compareRows,
  type HashedRow,
  type RowComparison,
  type StoredRow,
} from '../../rules/trials/compare-rows';
import { instanceSchema } from '../../schemas/dataset/instance';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { countDataStates } from '../../schemas/evaluation/data-state';
import type { NumberedRow } from '../../schemas/evaluation/evaluation-run';
import type { EvaluationPurpose } from '../../schemas/evaluation/purpose';
import { InputError } from '../../schemas/input-error';
import { formatCount, formatFirst, pluralize } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import type { StoredEvaluation } from './outcomes';
import type { PersonaChecklists } from './persona-checklists';
import { PURPOSES } from './purposes';

/** A data set to evaluate on, with what is known of its personas. */
export interface EvaluatedSource {
  readonly dataSet: DataSet;
  /** Personas that the data must have. */
  readonly filter?: PersonaFilter | undefined;
  /** Checklists of the preferences of prior sessions, by persona; for a verification. */
  readonly checklists: PersonaChecklists;
  readonly onRead: ReportRows;
}

/** Receives how many rows of the data are read. */
export type ReportRows = (progress: { readonly done: number }) => void;

/**
 * Reads the data set and stores its instances in a folder without an evaluation. Returns their number.
 * @throws DataError that lists every invalid row; the caller removes the instances stored so far
 */
export async function writeDataSet(store: Store, { filter, ...source }: EvaluatedSource): Promise<number> {
  const personas = new Set<string>();
  async function* readNoting() {
    for await (const row of readBareRows(source)) {
      personas.add(row.instance.persona_id);
      yield row;
    }
  }
  const instances = await writeInstances(store, addFacts(source.dataSet, readNoting()));
  if (filter !== undefined) requireChosen(filter, personas, source.dataSet.source);
  return instances;
}

/** A row of the data, and the hash of its own content. */
interface ReadRow extends HashedRow {
  readonly content: string;
}

/** New state of an evaluation's data. */
export type DataChange = RowComparison<ReadRow>;

/**
 * Compares a data set that has changed with the rows that an evaluation has stored. Writes nothing.
 * @param evaluation.readsPersonas whether calls read all rows of a persona, so that a row changes with any of them
 */
export async function compareData(
  evaluation: StoredEvaluation & { readonly readsPersonas: boolean },
  source: EvaluatedSource,
): Promise<DataChange> {
  const { readsPersonas } = evaluation;
  const complete = <Row extends HashedRow>(rows: readonly Row[]) =>
    readsPersonas ? addPersonaHashes(rows) : rows;
  const states = await evaluation.states();
  const hashes = new Map<number, string>();
  // By number, because rows with numbers in sequence are in one file.
  const numbers = new Set(states.flat().map(({ number }) => number));
  for (const number of [...numbers].toSorted((a, b) => a - b)) {
    hashes.set(number, hashRow(await evaluation.instance(number)));
  }
  const stored = new Map<number, StoredRow>();
  for (const [at, state] of states.entries()) {
    const isCurrent = at === states.length - 1;
    const rows = state.map((row) => ({ ...row, hash: hashes.get(row.number) ?? '', isCurrent }));
    for (const row of complete(rows)) stored.set(row.number, row);
  }
  const rows: ReadRow[] = [];
  for await (const row of readBareRows(source)) {
    const { persona_id, instance_type } = row.instance;
    const hash = hashRow(row);
    rows.push({ persona_id, instance_type, hash, content: hash });
  }
  return compareRows([...stored.values()], complete(rows));
}

/**
 * Stores the rows of a changed data set that were not stored yet, as its next state.
 * @throws DataError if the data have changed once more since they were compared
 */
export async function writeDataChange(
  evaluation: Pick<StoredEvaluation, 'store' | 'inputs'>,
  source: EvaluatedSource,
  { rows, stored }: DataChange,
): Promise<void> {
  const state = countDataStates(evaluation.inputs.data) + 1;
  async function* readNew() {
    let at = 0;
    for await (const row of readBareRows(source)) {
      const expected = rows[at];
      if (expected?.content !== hashRow(row)) throw createChangingError(source.dataSet);
      if (expected.number > stored) yield row;
      at += 1;
    }
    if (at < rows.length) throw createChangingError(source.dataSet);
  }
  await writeDataState(evaluation.store, { state, rows, stored }, addFacts(source.dataSet, readNew()));
}

function createChangingError({ source }: DataSet): DataError {
  return new DataError(`${source} changed while it was read. Repeat the command when it is complete.`);
}

/** Words that a message needs about the command. */
interface ChangeWording {
  /** The folder, as the command names it. */
  readonly place: string;
  readonly dataSet: DataSet;
  readonly purpose: EvaluationPurpose;
  readonly readsPersonas: boolean;
  /** Whether the user asked to do changed rows again. */
  readonly repeatChanged: true | undefined;
}

/** @throws InputError for another data set, and for changed rows that the user did not ask to do again */
export function requireSameData(
  { kept, changed }: Pick<DataChange, 'kept' | 'changed'>,
  { place, dataSet, purpose, readsPersonas, repeatChanged }: ChangeWording,
): void {
  const { noun, verb, personaCalls, keepStored } = PURPOSES[purpose];
  if (kept.length === 0) {
    throw new InputError(
      `${place} contains ${noun} of other data: ${dataSet.source} has none of its instances unchanged. Name another --results-dir.`,
    );
  }
  if (changed.length === 0 || repeatChanged === true) return;
  const reasonTogether = readsPersonas
    ? ` (${personaCalls} read all instances of a persona, so these change together)`
    : '';
  throw new InputError(
    [
      `${dataSet.source} differs from the data of the ${purpose} in ${place}. Changed: ${formatRows(changed)}${reasonTogether}.`,
      `To ${verb} these instances again, repeat the command with --repeat-changed; the answers on ${formatCount(kept.length, 'unchanged instance')} are kept.`,
      keepStored,
    ].join('\n'),
  );
}

/** Describes a change of the data to the user, one line for each kind. */
export function describeDataChange({ kept, added, changed, removed, stored }: DataChange): string[] {
  const returned = [...added, ...changed].filter(({ number }) => number <= stored).length;
  const keeping = `the answers on ${formatCount(kept.length, 'instance')} are kept.`;
  if (added.length + changed.length + removed.length === 0) {
    return [`The files of the data changed, but none of their instances: ${keeping}`];
  }
  return listPresent(
    added.length !== 0 &&
      `The data grew: ${formatCount(added.length, 'instance')} of ${countPersonas(added)} ${pluralize(added.length, 'was', 'were')} added; ${keeping}`,
    changed.length !== 0 &&
      `Done again, because they changed: ${formatRows(changed)}. Their earlier answers stay in the journal, and no longer count.`,
    returned !== 0 &&
      `Of these, ${formatCount(returned, 'instance was', 'instances were')} in earlier data as they are now. Their stored answers count again.`,
    removed.length !== 0 &&
      `No longer in the data, so left out of the results: ${formatRows(removed)}. Their answers stay in the journal, and count again if the data have these instances again.`,
  );
}

/** Formats rows by persona: `3 instances of 2 personas: 1+cook (changing), 2+nurse (consistent, changing)`. */
function formatRows(rows: readonly NumberedRow[]): string {
  const personas = groupBy(rows, ({ persona_id }) => persona_id);
  const names = [...personas].map(
    ([persona, personaRows]) =>
      `${persona} (${personaRows.map(({ instance_type: type }) => type).join(', ')})`,
  );
  return `${formatCount(rows.length, 'instance')} of ${countPersonas(rows)}: ${formatFirst(names, PERSONAS_NAMED)}`;
}

const PERSONAS_NAMED = 10;

function countPersonas(rows: readonly NumberedRow[]): string {
  return formatCount(new Set(rows.map(({ persona_id }) => persona_id)).size, 'persona');
}

/** Hashes what the calls of a row read of it. */
function hashRow({ instance, checklists }: Pick<StoredInstance, 'instance' | 'checklists'>): string {
  // Parsed, so that its fields have the same order from any file.
  const content = JSON.stringify([instanceSchema.parse(instance), checklists ?? null]);
  return hashText(content);
}

type BareRow = Pick<StoredInstance, 'instance' | 'checklists'>;

async function* readBareRows({ dataSet, checklists, onRead }: EvaluatedSource): AsyncGenerator<BareRow> {
  let readCount = 0;
  for await (const instance of readInstances(dataSet)) {
    readCount += 1;
    onRead({ done: readCount });
    const personaChecklists = checklists.get(instance.persona_id);
    yield { instance, ...(personaChecklists === undefined ? {} : { checklists: personaChecklists }) };
  }
}

/** Adds what is stored with a row besides its content. */
async function* addFacts(
  { provenance }: DataSet,
  rows: AsyncIterable<BareRow>,
): AsyncGenerator<StoredInstance> {
  const origins = provenance === undefined ? new Map<string, Origin>() : await readProvenance(provenance);
  const countTokens = createTokenCounter();
  for await (const row of rows) {
    const { instance } = row;
    yield {
      ...row,
      priorTokens: countTokens(renderInteractionLog(instance.prior_interactions)),
      synthesizer: origins.get(buildInstanceKey(instance))?.synthesizer ?? null,
    };
  }
}
