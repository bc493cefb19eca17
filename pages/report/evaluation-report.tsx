import type { ComponentChild } from 'preact';
import type { StoredResults } from '../../runs/evaluate/read-results';
import { RESULTS, type EvaluationResults } from '../../schemas/evaluation/results';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { type Quantity, type TableRow, toQuantity } from '../../schemas/text/table';
import { groupBy } from '../../rules/group-by';
import { findDisagreements, type Disagreement } from '../../rules/analyses/disagreements';
import { formatLetter } from '../../schemas/evaluation/choice';
import { MEASURES } from '../../schemas/evaluation/measure';
import type { EvaluationRow, Task } from '../../schemas/evaluation/evaluation';
import type { Pen } from '../charts/drawing';
import { getFigures, type SectionCharts } from '../charts/figure';
import { drawEvaluation } from '../charts/sections';
import { Comparisons } from '../parts/comparisons';
import { Figures } from '../parts/figure';
import { NumberTable } from '../parts/table';
import { Notes, Paragraph, Text } from '../parts/text';
import { Fold, TablesBeside } from './blocks';
import type { Report, ReportPart } from './page';
import { buildAnalysisSections } from '../../runs/tables/analyses';
import { writeComparisons } from '../../runs/tables/comparisons';
import { renderCaveats } from '../../runs/tables/notes';
import { buildOverviewTables } from '../../runs/tables/overview';
import { writeSentences } from '../../runs/tables/sentences';
import { buildResultTables } from '../../runs/tables/results';
import { formatEvaluation, type Topic } from '../../runs/tables/section';

/** Compares the models of several evaluations, and their main numbers. Returns no part for a single evaluation. */
export function compareEvaluations(
  evaluations: readonly { readonly name: string; readonly results: EvaluationResults }[],
): ReportPart[] {
  if (evaluations.length < 2) return [];
  const cells = evaluations.flatMap(({ name, results }) => results.cells.map((cell) => ({ name, cell })));
  const settings = groupBy(cells, ({ cell }) => `${formatEvaluation(cell)}, context ${cell.context}`);
  const tables = [...settings].map(([line, lineCells]) => ({
    title: line,
    columns: COLUMNS[lineCells[0]?.cell.task ?? 'inference'].map((title) => ({ title })),
    rows: [...groupBy(lineCells, ({ cell }) => cell.model)].flatMap(([model, modelCells]): TableRow[] => [
      { name: model, cells: [] },
      ...modelCells.map(({ name, cell: { all } }) => ({ name, depth: 1, cells: listMainNumbers(all) })),
    ]),
  }));
  return [
    {
      title: 'Evaluations side by side',
      blocks: [
        <Comparisons
          comparisons={writeComparisons(evaluations.map(({ name, results }) => ({ ...results, name })))}
        />,
        <p>
          Over all instances of each; the data may differ. Micro averages in %, mean scores from 1 to 10, 95 %
          intervals.
        </p>,
        <TablesBeside tables={tables} label="Evaluations side by side" />,
      ],
    },
  ];
}

const COLUMNS: Readonly<Record<Task, readonly string[]>> = {
  inference: ['n', 'P', 'R', 'F1'],
  generation: ['n', 'score'],
  choice: ['n', 'accuracy', 'paired'],
};

function listMainNumbers({
  inference,
  generation,
  choice,
}: EvaluationResults['cells'][number]['all']): Quantity[] {
  if (inference !== null) {
    const { n_instances, precision, recall, f1, intervals } = inference;
    return [
      toQuantity(n_instances),
      ...[precision, recall].map((value) => toQuantity(value, 'percent')),
      toQuantity(f1, 'percent', { interval: intervals.f1 }),
    ];
  }
  if (generation === null) {
    return [
      toQuantity(choice?.n_instances ?? 0),
      toQuantity(choice?.accuracy, 'percent', { interval: choice?.intervals.accuracy ?? null }),
      toQuantity(choice?.paired_accuracy, 'percent', { interval: choice?.intervals.paired_accuracy ?? null }),
    ];
  }
  const { n_instances, average_score, intervals } = generation;
  return [toQuantity(n_instances), toQuantity(average_score, 'score', { interval: intervals.average_score })];
}

/** Builds the report of an evaluation. @param folder its folder, as the user named it */
export async function reportEvaluation(
  pen: Pen,
  { results, isComplete, readTexts }: StoredResults,
  folder: string,
): Promise<Omit<Report, 'title'>> {
  const charts = drawEvaluation(pen, results);
  return {
    ...(results.simulated ? { simulated: SIMULATED } : {}),
    facts: listFacts(results, isComplete),
    parts: [
      {
        title: 'Results',
        blocks: [
          <Comparisons comparisons={writeComparisons([results])} />,
          <TablesBeside tables={buildOverviewTables(results)} label="Results" />,
          <Notes lines={[...renderCaveats(results), NO_NUMBER]} />,
          <Figures figures={getFigures(charts, 'scores')} />,
          <Fold summary="Tables by instance type">
            <TablesBeside tables={buildResultTables(results.cells)} label="Results by instance type" />
          </Fold>,
        ],
      },
      ...(await buildMissingPart(results, readTexts, folder)),
      ...buildAnalysisParts(charts, results),
      ...buildSentencePart(results),
      ...(await buildDisagreementPart(readTexts, folder)),
    ],
  };
}

const NO_NUMBER =
  'A dash (–) stands where there is no number, for example for a correlation over two models.';

const SIMULATED =
  'The data or a model of this evaluation is simulated: use these numbers for testing only. They say nothing about a real model.';

function listFacts(
  { data, models, settings, prompts, cells }: EvaluationResults,
  isComplete: boolean,
): Report['facts'] {
  const counts = cells.map(({ all }) => all.counts);
  const sum = (getCount: (count: (typeof counts)[number]) => number) =>
    counts.reduce((total, count) => total + getCount(count), 0);
  const open = sum((count) => count.open);
  return [
    ['Data', `${data.source}, ${formatCount(data.instances, 'instance')}`],
    ['SHA-256 of the data', data.sha256],
    ['Models', formatNumber(new Set(cells.map(({ model }) => model)).size || models.length)],
    [
      isComplete ? 'Scores' : 'Scores so far',
      [
        `${formatNumber(sum((count) => count.scored + count.context_length))} scored`,
        `${formatNumber(sum((count) => count.missing))} missing`,
        ...(open === 0 ? [] : [`${formatNumber(open)} open`]),
      ].join(', '),
    ],
    ['Seed', `${settings.seed}`],
    ['Prompts', `${prompts.source}, SHA-256 ${prompts.hash.slice(0, 12)}…`],
  ];
}

function buildSentencePart(results: EvaluationResults): ReportPart[] {
  const sentences = writeSentences(results);
  if (sentences.length === 0) return [];
  return [
    {
      title: 'For a paper',
      blocks: [
        <Fold summary={formatCount(sentences.length, 'sentence')}>
          {sentences.map((sentence) => (
            <Paragraph text={sentence} />
          ))}
        </Fold>,
      ],
    },
  ];
}

/** Names the instances without a score, and why they have none. */
async function buildMissingPart(
  { cells }: EvaluationResults,
  readTexts: StoredResults['readTexts'],
  folder: string,
): Promise<ReportPart[]> {
  const count = cells.reduce((sum, { all }) => sum + all.counts.missing, 0);
  if (count === 0) return [];
  const rows: TableRow[] = [];
  for await (const row of readTexts('all')) {
    if (row.state !== 'missing') continue;
    const { persona_id, instance_type, model, task, context, missing_step: step, missing_cause: cause } = row;
    if (rows.length < MOST_MISSING)
      rows.push({
        name: persona_id,
        cells: [instance_type, model, task, context, step ?? '', cause ?? 'unknown'],
      });
  }
  const columns = ['type', 'model', 'task', 'context', 'step', 'cause'].map((title) => ({
    title,
    isText: true,
  }));
  const hiddenCount = count - rows.length;
  return [
    {
      title: 'Missing scores',
      blocks: [
        <NumberTable table={{ names: 'persona', columns, rows }} label="Missing scores" />,
        <Notes
          lines={[
            ...(hiddenCount > 0
              ? [`${formatNumber(hiddenCount)} more are in ${RESULTS.rows}, with the state missing.`]
              : []),
            `Missing scores are not part of any number. To ask these calls again: cupid retry ${folder}`,
          ]}
        />,
      ],
    },
  ];
}

/** Missing scores to name: with more, something else is wrong. */
const MOST_MISSING = 50;

function buildAnalysisParts(charts: readonly SectionCharts[], results: EvaluationResults): ReportPart[] {
  const sections = buildAnalysisSections(results);
  const further = sections.filter(({ topic }) => FURTHER_TOPICS.has(topic));
  return [
    ...sections
      .filter(({ topic }) => !FURTHER_TOPICS.has(topic))
      .map(({ topic, title, explanation, tables }) => {
        const figures = getFigures(charts, topic);
        const tableBlock = <TablesBeside tables={tables} label={title} />;
        return {
          title,
          blocks: [
            <Paragraph text={explanation} />,
            <Notes lines={PAPER_FINDINGS[topic] ?? []} />,
            <Figures figures={figures} />,
            // A chart shows what its tables repeat.
            figures.length === 0 ? (
              tableBlock
            ) : (
              <Fold summary={formatCount(tables.length, 'table')}>{tableBlock}</Fold>
            ),
          ],
        };
      }),
    ...(further.length === 0
      ? []
      : [
          {
            title: 'Further tables',
            blocks: further.map(({ title, explanation, tables }) => (
              <Fold summary={title}>
                <Paragraph text={explanation} />
                <TablesBeside tables={tables} label={title} />
              </Fold>
            )),
          },
        ]),
  ];
}

/** Topics whose numbers are details of those in other parts. */
const FURTHER_TOPICS: ReadonlySet<Topic> = new Set([
  'contexts',
  'context-differences',
  'type-positions',
  'overlong',
  'reference',
]);

/** Findings that the paper states for figures that exist only as pictures. */
const PAPER_FINDINGS: Partial<Record<Topic, readonly string[]>> = {
  positions: [
    'The paper: results are better where the relevant sessions are near the end (section 4.2.1). Its figure 3 gives no numbers.',
  ],
  lengths: [
    'The paper: results of both tasks generally decrease as the history gets longer (F.4). Its figure 9 gives no numbers.',
  ],
  synthesizers: [
    'The paper: hardly any model does better on its own data (F.5). On the data of each of three models, Claude 3.7 Sonnet is first in inference and DeepSeek-R1 in generation, and GPT-4o last in both. Its figure 10 gives no numbers.',
  ],
};

/** Number of instances to show on which models disagree most. */
const MOST_SHOWN = 10;

async function buildDisagreementPart(
  readTexts: StoredResults['readTexts'],
  folder: string,
): Promise<ReportPart[]> {
  const scores = [];
  for await (const row of readTexts('scores')) scores.push(row);
  const disagreements = findDisagreements(scores, MOST_SHOWN);
  const [first] = disagreements;
  if (first === undefined) return [];
  const disagreementsByKey = new Map(
    disagreements.map((disagreement) => [buildKey(disagreement), disagreement]),
  );
  const texts = new Map<Disagreement, Map<string, EvaluationTexts>>();
  for await (const row of readTexts('all')) {
    const disagreement = disagreementsByKey.get(buildKey(row));
    if (disagreement === undefined || formatEvaluation(row) !== formatEvaluation(disagreement.setting))
      continue;
    if (row.context !== disagreement.setting.context) continue;
    texts.set(
      disagreement,
      (texts.get(disagreement) ?? new Map<string, EvaluationTexts>()).set(row.model, row),
    );
  }
  const { setting } = first;
  return [
    {
      title: 'Instances that models disagree on most',
      blocks: [
        <Paragraph
          text={`The instances whose results lie furthest apart. ${formatEvaluation(setting)}, context ${setting.context}. The texts are those of the data and of the models.`}
        />,
        <p class="facts">
          The links open an instance in the explorer, while it runs and after you opened the link that it
          prints:{' '}
          <code>
            <Text text={`cupid explore ${folder} --port ${EXPLORER_PORT}`} />
          </code>
        </p>,
        ...disagreements.map((disagreement, at) =>
          renderDisagreement(disagreement, at + 1, texts.get(disagreement) ?? new Map()),
        ),
      ],
    },
  ];
}

type EvaluationTexts = Partial<
  Pick<
    EvaluationRow,
    | 'current_request'
    | 'true_preference'
    | 'inferred_preference'
    | 'response'
    | 'analysis'
    | 'options'
    | 'chosen_option'
  >
>;

function renderDisagreement(
  { persona_id, instance_type, setting, results }: Disagreement,
  number: number,
  texts: ReadonlyMap<string, EvaluationTexts>,
): ComponentChild {
  const [firstText] = texts.values();
  const { title, format, scale } = MEASURES[setting.task];
  const formatResult = (result: number) => `${title} ${format(result)}${scale === 100 ? ' %' : ''}`;
  const query = new URLSearchParams({ instance: persona_id, 'type-of': instance_type });
  const summary = (
    <>
      {number}.{' '}
      <strong>
        <Text text={`${persona_id}, ${instance_type}`} />
      </strong>
      .{' '}
      {results.map(({ model, result }, at) => (
        <>
          {at === 0 ? '' : '; '}
          <Text text={model} />: <data value={result}>{formatResult(result)}</data>
        </>
      ))}
    </>
  );
  return (
    <Fold summary={summary}>
      <article>
        <p>
          <a href={`http://127.0.0.1:${EXPLORER_PORT}/?${query.toString()}`}>Open it in the explorer</a>
        </p>
        <h4>Request</h4>
        <Quotation text={firstText?.current_request ?? 'unknown'} />
        <h4>Preference</h4>
        <Quotation text={firstText?.true_preference ?? 'unknown'} />
        {results.map(({ model, result }) => {
          const modelTexts = texts.get(model);
          return (
            <>
              <h4>
                <Text text={model} />: {formatResult(result)}
              </h4>
              <Quotation text={modelTexts === undefined ? 'no answer' : getAnswer(modelTexts)} />
              {modelTexts?.analysis && <Paragraph kind="facts" text={`The judge: ${modelTexts.analysis}`} />}
            </>
          );
        })}
      </article>
    </Fold>
  );
}

function Quotation({ text }: { readonly text: string }) {
  return (
    <blockquote>
      <Text text={text} />
    </blockquote>
  );
}

/** Port of the explorer that links of a report lead to. */
const EXPLORER_PORT = 4747;

/** Returns the inferred preference, the response, or the chosen option. */
function getAnswer({ inferred_preference, response, options, chosen_option }: EvaluationTexts): string {
  const at = options?.findIndex((_, index) => formatLetter(index) === chosen_option) ?? -1;
  return inferred_preference ?? response ?? options?.[at] ?? 'no answer';
}

function buildKey({
  persona_id,
  instance_type,
}: Pick<EvaluationRow, 'persona_id' | 'instance_type'>): string {
  return `${instance_type}+${persona_id}`;
}
