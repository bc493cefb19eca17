import { modelFactsSchema, type ModelFacts, type ModelTable } from '../../schemas/model/model-table';
import { findCloseName } from './close-names';
import { listNamedEntries } from './facts';
import { computeStaleDays, findRetirement, type Retirement } from './dates';

export type FactName = keyof ModelFacts;

/** A fact of a model, with its date and source. */
export interface KnownFact {
  readonly fact: FactName;
  readonly value: NonNullable<ModelFacts[FactName]>;
  readonly checkedOn: string;
  /** Days since it was checked; absent unless that is long ago. */
  readonly ageDays?: number;
  readonly source: readonly string[];
}

export interface KnownModel {
  /** `provider:name`. */
  readonly model: string;
  /** False if no entry has its full name, so that the facts are those of its family. */
  readonly hasEntry: boolean;
  /** The model of the table whose name it may be, mistyped. */
  readonly closeName?: string;
  readonly facts: readonly KnownFact[];
  readonly unknownFacts: readonly FactName[];
  /** Present if the model has ended or will soon. */
  readonly retirement?: Retirement;
}

/**
 * Describes a model from a table, as of a day.
 * @param model `provider:name`
 */
export function describeModel(model: string, table: ModelTable, today: string): KnownModel {
  const entries = listNamedEntries([model], table);
  const modelFacts: ModelFacts = Object.assign({}, ...entries);
  const facts = FACTS.flatMap((fact): KnownFact[] => {
    const value = modelFacts[fact];
    const entry = entries.findLast((candidate) => candidate[fact] !== undefined);
    if (value === undefined || entry === undefined) return [];
    const { checked: checkedOn, source } = entry;
    const ageDays = computeStaleDays(checkedOn, today);
    return [
      { fact, value, checkedOn, ...(ageDays === undefined ? {} : { ageDays }), source: [source].flat() },
    ];
  });
  const retirement = findRetirement(modelFacts, today);
  const closeName = findCloseName(model, table);
  return {
    model,
    hasEntry: entries.some((entry) => !entry.model.endsWith('*')),
    ...(closeName === undefined ? {} : { closeName }),
    facts,
    unknownFacts: FACTS.filter((fact) => modelFacts[fact] === undefined && !ONLY_OF_SOME.has(fact)),
    ...(retirement === undefined ? {} : { retirement }),
  };
}

/** Describes every model that has an entry under its full name, in the table's order. */
export function describeModels(table: ModelTable, today: string): KnownModel[] {
  const names = table.filter(({ model }) => !model.endsWith('*')).map(({ model }) => model);
  return [...new Set(names)].map((name) => describeModel(name, table, today));
}

const FACTS = modelFactsSchema.keyof().options;

/** Facts that most models do not have, so that their absence is not reported as unknown. */
const ONLY_OF_SOME: ReadonlySet<FactName> = new Set([
  'api',
  'thinkingBudget',
  'extraTokens',
  'successor',
  'tokenLimitName',
]);
