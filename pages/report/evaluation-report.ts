import type { StoredResults } from '../../runs/evaluate/read-results';
import { RESULTS, type EvaluationResults } from '../../schemas/evaluation/results';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { type Quantity, type TableRow, toQuantity } from '../../schemas/text/table';
import { groupBy } from '../../rules/group-by';
import { findDisagreements, type Disagreement } from '../../rules/analyses/disagreements';
import { formatLetter } from '../../schemas/evaluation/choice';
import { MEASURES } from '../../schemas/evaluation/measure';
import type { EvaluationRow, Task } from '../../schemas/evaluation/evaluation';
import { renderFold, renderHtmlTable, renderNotes, renderTables } from './blocks';
import { renderFigureRow, type Figure, type Pen } from './drawing';
import { drawDifferences } from './charts/differences';
import { drawLengths, drawPositions } from './charts/lines';
import { drawEvaluators, drawSynthesizers } from './charts/matrices';
import { drawScores } from './charts/scores';
import { drawTasks } from './charts/tasks';
import { html, type Html } from './html';
import type { Report, ReportPart } from './page';
import { buildAnalysisSections, hasPaperSetup } from '../../runs/tables/analyses';
import { renderCaveats } from '../../runs/tables/notes';
import { buildOverviewTables } from '../../runs/tables/overview';
import { writeSentences } from '../../runs/tables/sentences';
import { buildResultTables } from '../../runs/tables/results';
import { formatEvaluation, type Topic } from '../../runs/tables/section';

/** Compares the main numbers of several evaluations. Returns no part for a single one. */
export function compareEvaluations(
  evaluations: readonly { readonly name: string; readonly results: EvaluationResults }[],
): ReportPart[] {
  if (evaluations.length < 2) return [];
  const cells = evaluations.flatMap(({ name, results }) => results.cells.map((cell) => ({ name, cell })));
  const settings = groupBy(cells, ({ cell }) => `${formatEvaluation(cell)}, context ${cell.context}`);
  const tables = [...settings].map(([line, lineCells]) => ({
    title: line,
    lines: [],
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
        html`<p>
          Over all instances of each; the data may differ. Micro averages in %, mean scores from 1 to 10, 95 %
          intervals.
        </p>`,
        renderTables(tables, 'Evaluations side by side'),
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
  return {
    ...(results.simulated ? { simulated: SIMULATED } : {}),
    facts: listFacts(results, isComplete),
    parts: [
      {
        title: 'Results',
        blocks: [
          renderTables(buildOverviewTables(results), 'Results'),
          renderNotes([...renderCaveats(results), NO_NUMBER]),
          ...renderFigureRow(pen, [...drawScores(pen, results.cells), ...drawEvaluators(pen, results.cells)]),
          renderFold('Tables by instance type', [
            renderTables(buildResultTables(results.cells), 'Results by instance type'),
          ]),
        ],
      },
      ...(await buildMissingPart(results, readTexts, folder)),
      ...buildAnalysisParts(pen, results),
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
        renderFold(
          formatCount(sentences.length, 'sentence'),
          sentences.map((sentence) => html`<p>${sentence}</p>`),
        ),
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
        renderHtmlTable({ title: '', lines: [], names: 'persona', columns, rows }, 'Missing scores'),
        renderNotes([
          ...(hiddenCount > 0
            ? [`${formatNumber(hiddenCount)} more are in ${RESULTS.rows}, with the state missing.`]
            : []),
          `Missing scores are not part of any number. To ask these calls again: cupid retry ${folder}`,
        ]),
      ],
    },
  ];
}

/** Missing scores to name: with more, something else is wrong. */
const MOST_MISSING = 50;

function buildAnalysisParts(pen: Pen, results: EvaluationResults): ReportPart[] {
  const { analyses, cells, differences } = results;
  const figures: Partial<Record<Topic, Figure[]>> = {
    differences: drawDifferences(pen, differences),
    positions: drawPositions(pen, analyses.by_position),
    lengths: drawLengths(pen, analyses.by_length),
    tasks: drawTasks(pen, analyses.tasks, hasPaperSetup(cells)),
    synthesizers: drawSynthesizers(pen, analyses.synthesizers),
  };
  const sections = buildAnalysisSections(results);
  const further = sections.filter(({ topic }) => FURTHER_TOPICS.has(topic));
  return [
    ...sections
      .filter(({ topic }) => !FURTHER_TOPICS.has(topic))
      .map(({ topic, title, explanation, tables }) => {
        const charts = renderFigureRow(pen, figures[topic] ?? []);
        const renderedTables = renderTables(tables, title);
        return {
          title,
          blocks: [
            html`<p>${explanation}</p>`,
            renderNotes(PAPER_FINDINGS[topic] ?? []),
            ...charts,
            // A chart shows what its tables repeat.
            charts.length === 0
              ? renderedTables
              : renderFold(formatCount(tables.length, 'table'), [renderedTables]),
          ],
        };
      }),
    ...(further.length === 0
      ? []
      : [
          {
            title: 'Further tables',
            blocks: further.map(({ title, explanation, tables }) =>
              renderFold(title, [html`<p>${explanation}</p>`, renderTables(tables, title)]),
            ),
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
        html`<p>
          The instances whose results lie furthest apart. ${formatEvaluation(setting)}, context
          ${setting.context}. The texts are those of the data and of the models.
        </p>`,
        html`<p class="notes">
          The links open an instance in the explorer, while it runs and after you opened the link that it
          prints: <code>cupid explore ${folder} --port ${EXPLORER_PORT}</code>
        </p>`,
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
): Html {
  const [firstText] = texts.values();
  const { title, format, scale } = MEASURES[setting.task];
  const formatResult = (result: number) => `${title} ${format(result)}${scale === 100 ? ' %' : ''}`;
  const scores = results.map(
    ({ model, result }, at) =>
      html`${at === 0 ? '' : '; '}${model}: <data value="${result}">${formatResult(result)}</data>`,
  );
  const query = new URLSearchParams({ instance: persona_id, 'type-of': instance_type });
  return renderFold(html`${number}. <strong>${persona_id}, ${instance_type}</strong>. ${scores}`, [
    html`<article>
      <p><a href="http://127.0.0.1:${EXPLORER_PORT}/?${query.toString()}">Open it in the explorer</a></p>
      <h4>Request</h4>
      <blockquote>${firstText?.current_request ?? 'unknown'}</blockquote>
      <h4>Preference</h4>
      <blockquote>${firstText?.true_preference ?? 'unknown'}</blockquote>
      ${results.map(({ model, result }) => {
        const modelTexts = texts.get(model);
        return html`<h4>${model}: ${formatResult(result)}</h4>
          <blockquote>${modelTexts === undefined ? 'no answer' : getAnswer(modelTexts)}</blockquote>
          ${modelTexts?.analysis ? html`<p class="notes">The judge: ${modelTexts.analysis}</p>` : ''}`;
      })}
    </article> `,
  ]);
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
