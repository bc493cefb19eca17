import { formatCloseNames } from '../../schemas/text/close-names';
import { getToday } from '../../engine/model-facts/dates';
import {
  type FactName,
  type KnownFact,
  type KnownModel,
  describeModel,
  describeModels,
} from '../../engine/model-facts/known-model';
import { formatRetirement } from '../../runs/plan/model-findings';
import { formatPrice } from '../../schemas/text/amount-text';
import { formatCount } from '../../schemas/text/count-text';
import { modelFactsSchema, type ModelFacts, type Price } from '../../schemas/model/model-table';
import { SINGLE_TIERS } from '../../schemas/model/tier';
import { groupBy } from '../../rules/group-by';
import { NOTHING } from '../../schemas/text/numbers';
import { renderTable } from '../../schemas/text/text-table';
import { wrapText } from '../terminal/wrap';
import type { TableRow } from '../../schemas/text/table';
import { listPresent } from '../../schemas/text/list-present';
import { buildModelTable, readModelTable } from '../../data/model-table';
import { formatModelName } from '../../schemas/model/model-spec';
import { EXIT } from '../exit';
import { printResult } from '../output';
import { getWidth } from '../terminal/width';

interface ModelsOptions {
  /** A file of the user's own entries. */
  readonly models?: string;
  readonly json?: true;
}

/**
 * Runs `cupid models`: prints the known facts of a model, or a table of all models. Calls no provider. Returns the exit
 * code.
 * @throws InputError
 */
export async function showModels(spec: string | undefined, options: ModelsOptions): Promise<number> {
  const modelTable = options.models === undefined ? undefined : await readModelTable(options.models);
  const table = buildModelTable({ modelTable });
  const facts =
    spec === undefined
      ? describeModels(table, getToday())
      : describeModel(formatModelName(spec), table, getToday());
  printResult(options, facts, () => (Array.isArray(facts) ? renderModelTable(facts) : renderModel(facts)));
  return EXIT.done;
}

/** Renders the facts of a model with their origins, and what is unknown. */
export function renderModel({
  model,
  hasEntry,
  closeName,
  facts,
  unknownFacts,
  retirement,
}: KnownModel): string[] {
  const origins = [...new Set(facts.map(formatOrigin))];
  const width = Math.max(0, ...facts.map(({ fact }) => TITLES[fact].length));
  return listPresent(
    model,
    closeName !== undefined && `No model of this name is known.${formatCloseNames([closeName])}`,
    !hasEntry &&
      facts.length > 0 &&
      'It has no entry of its own; these are facts of models whose names begin in the same way.',
    retirement !== undefined && formatRetirement(retirement),
    ...(facts.length === 0
      ? [
          'Nothing is known about this model. It can be used; add its prices and parameters with --models FILE.',
        ]
      : [
          '',
          ...facts.flatMap((fact) =>
            wrapText(
              `${formatFact(fact)} [${origins.indexOf(formatOrigin(fact)) + 1}]`,
              getWidth() - width - 4,
            ).map((line, at) => `  ${(at === 0 ? TITLES[fact.fact] : '').padEnd(width)}  ${line}`),
          ),
        ]),
    '',
    unknownFacts.length !== 0 && `Unknown: ${unknownFacts.map((fact) => TITLES[fact]).join(', ')}`,
    ...origins.map((origin, at) => `[${at + 1}] ${origin}`),
  );
}

export function renderModelTable(models: readonly KnownModel[]): string[] {
  const rows = [...groupBy(models, getProvider)].flatMap(([provider, providerModels]): TableRow[] => [
    { name: '', cells: [] },
    { name: provider, cells: [] },
    ...providerModels.flatMap((model) =>
      listPresent<TableRow>(buildModelRow(model, provider), buildEndRow(model)),
    ),
  ]);
  const isOld = models.some(({ facts }) => facts.some((fact) => fact.ageDays !== undefined));
  return listPresent(
    ...renderTable({ names: 'model', columns: COLUMNS, rows }, getWidth()),
    '',
    'Prices in US dollars per million tokens, in the standard tier.',
    'cupid models SPEC shows everything known about a model, with sources.',
    isOld && 'Old: checked more than 180 days ago. Add newer facts with --models FILE.',
  );
}

function getProvider({ model }: KnownModel): string {
  return model.slice(0, model.indexOf(':'));
}

/** Formats the day of a check, and how long ago it was if it is old. */
function formatCheckDate(checked: string, oldDays: number | undefined): string {
  return oldDays === undefined
    ? `checked on ${checked}`
    : `old: checked on ${checked}, ${formatCount(oldDays, 'day')} ago`;
}

const COLUMNS = [{ title: 'input' }, { title: 'output' }, { title: 'tiers' }, { title: 'checked' }];

function buildModelRow({ model, facts }: KnownModel, provider: string): TableRow {
  const modelFacts = collectKnownFacts(facts);
  const oldest = facts.toSorted((a, b) => (a.checkedOn < b.checkedOn ? -1 : 1))[0];
  const price = modelFacts.prices?.standard;
  return {
    name: model.slice(provider.length + 1),
    depth: 1,
    cells: [
      price === undefined ? NOTHING : formatPrice(price.input),
      price === undefined ? NOTHING : formatPrice(price.output),
      modelFacts.tiers === undefined ? NOTHING : ['standard', ...modelFacts.tiers].join(', '),
      oldest === undefined ? NOTHING : `${oldest.ageDays === undefined ? '' : 'old '}${oldest.checkedOn}`,
    ],
  };
}

/** Builds the row below a model: when it retires, and its successor; undefined if neither is known. */
function buildEndRow({ facts, retirement }: KnownModel): TableRow | undefined {
  const { retires, successor } = collectKnownFacts(facts);
  const state =
    retirement === undefined ? 'retires on' : retirement.hasEnded ? 'retired on' : 'retires soon, on';
  const parts = listPresent(
    retires !== undefined && `${state} ${retires}`,
    successor !== undefined && `successor ${successor}`,
  );
  return parts.length === 0 ? undefined : { name: parts.join('; '), depth: 2, cells: [] };
}

function collectKnownFacts(facts: readonly KnownFact[]): ModelFacts {
  return modelFactsSchema.parse(Object.fromEntries(facts.map(({ fact, value }) => [fact, value])));
}

function formatOrigin({ checkedOn, ageDays, source }: KnownFact): string {
  return [formatCheckDate(checkedOn, ageDays), ...source].join('\n    ');
}

const TITLES: Readonly<Record<FactName, string>> = {
  temperature: 'temperature',
  assistantFirst: 'assistant first',
  systemRole: 'system message',
  seed: 'seed',
  api: 'API',
  tokenLimitName: 'token limit',
  thinkingBudget: 'thinking budget',
  reasoning: 'reasoning',
  extraTokens: 'extra tokens',
  tiers: 'tiers',
  caching: 'prompt caching',
  contextWindow: 'context window',
  prices: 'prices',
  batchPriceShare: 'batch price',
  retires: 'retirement date',
  successor: 'successor',
};

function formatFact(fact: KnownFact): string {
  const facts = collectKnownFacts([fact]);
  const text: Readonly<Record<FactName, string | undefined>> = {
    temperature:
      typeof facts.temperature === 'number'
        ? `only ${facts.temperature} is sent`
        : facts.temperature === 'without-reasoning'
          ? 'accepted with reasoning effort none'
          : facts.temperature,
    assistantFirst: facts.assistantFirst,
    systemRole: facts.systemRole,
    seed: facts.seed,
    api: facts.api,
    tokenLimitName: facts.tokenLimitName,
    thinkingBudget:
      facts.thinkingBudget === undefined ? undefined : formatCount(facts.thinkingBudget, 'token'),
    reasoning: facts.reasoning === undefined ? undefined : formatReasoning(facts.reasoning),
    extraTokens:
      facts.extraTokens === undefined
        ? undefined
        : `${formatCount(facts.extraTokens, 'token')} added to the limit`,
    tiers: ['standard', ...(facts.tiers ?? [])].join(', '),
    caching: facts.caching === undefined ? undefined : formatCaching(facts.caching),
    contextWindow: facts.contextWindow === undefined ? undefined : formatCount(facts.contextWindow, 'token'),
    prices: facts.prices === undefined ? undefined : formatPrices(facts.prices),
    batchPriceShare:
      facts.batchPriceShare === undefined
        ? undefined
        : `${Math.round(facts.batchPriceShare * 100)} % of the standard price`,
    retires: facts.retires,
    successor: facts.successor,
  };
  return text[fact.fact] ?? NOTHING;
}

function formatReasoning({
  efforts,
  default: defaultEffort,
  counts,
  allowance,
}: NonNullable<ModelFacts['reasoning']>): string {
  return listPresent(
    efforts.length === 0 ? 'no effort setting' : `effort ${efforts.join(', ')}`,
    defaultEffort !== undefined && `default ${defaultEffort}`,
    counts !== undefined && `${counts ? 'counts' : 'does not count'} toward the token limit`,
    allowance !== undefined && `${formatCount(allowance, 'token')} added to the limit`,
  ).join('; ');
}

function formatCaching({ kind, minimumTokens }: NonNullable<ModelFacts['caching']>): string {
  return minimumTokens === undefined ? kind : `${kind}, from ${formatCount(minimumTokens, 'token')}`;
}

function formatPrices(prices: NonNullable<ModelFacts['prices']>): string {
  return SINGLE_TIERS.flatMap((tier) => {
    const price = prices[tier];
    return price === undefined ? [] : [`${tier} ${formatTokenPrices(price)}`];
  }).join('; ');
}

function formatTokenPrices({ input, output, cachedRead, cachedWrite }: Price): string {
  return listPresent(
    `${formatPrice(input)} in`,
    `${formatPrice(output)} out`,
    cachedRead !== undefined && `${formatPrice(cachedRead)} cached read`,
    cachedWrite !== undefined && `${formatPrice(cachedWrite)} cached write`,
  ).join(', ');
}
