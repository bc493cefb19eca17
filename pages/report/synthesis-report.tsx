import { join } from 'node:path';
import { buildFigureTable, describeWeakChoices, INTERVAL_NOTE } from '../../data/card/figures';
import { buildStatisticsTable, renderStatisticsNotes } from '../../data/card/statistics';
import { listClosedPersonas, readFailedPersonas, readStoredPersonas } from '../../data/run/artifacts';
import { findRunStatistics } from '../../data/run/statistics';
import { computeCompressionRatio } from '../../data/sets/compression';
import { requireDirectories } from '../../data/store/own-file';
import { readVerificationResults } from '../../data/sets/verification';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { formatPercent, formatScore, NOTHING } from '../../schemas/text/numbers';
import { isSimulatedRun, listModels } from '../../engine/model-facts/roles';
import { DataSetCounter, isIncluded, type CountedDataSet } from '../../rules/statistics/run-statistics';
import { splitInstances } from '../../rules/instances/split';
import { createTurnCounter, type TurnStatistics } from '../../rules/statistics/turns';
import { formatResultName } from '../../rules/trials/rows';
import { findDataHash } from '../../runs/folder/data-hash';
import type { OpenSynthesis } from '../../runs/folder/run-folder';
import type { Distribution } from '../../schemas/dataset/data-statistics';
import { formatModelName } from '../../schemas/model/model-spec';
import { MODEL_ROLES } from '../../schemas/model/model-role';
import { VERIFICATION_FOLDER, type VerificationResults } from '../../schemas/verification/verification';
import { Figures } from '../parts/figure';
import { NumberTable } from '../parts/table';
import { Notes, Paragraph } from '../parts/text';
import { Warning } from './blocks';
import {
  buildSeries,
  buildSeriesScales,
  computeLabelMargin,
  shortenNames,
  drawLegend,
  WIDTHS,
  type Pen,
} from '../charts/drawing';
import type { Figure } from '../charts/figure';
import type { Report, ReportPart } from './page';
import { REVIEW_FOLDER } from '../../runs/review/folder';
import { buildReviewParts } from './review-report';
import { buildVerificationTable, describeSureness } from '../../runs/tables/verification';
import { buildUsageParts, listUsageFacts, readUsage } from './usage-report';
import { quotePath } from '../../schemas/text/shell-text';

/** Builds the report of a synthesis run, finished or not. @param name its folder, as the user named it */
export async function reportSynthesis(
  pen: Pen,
  run: OpenSynthesis,
  name: string,
): Promise<Omit<Report, 'title'>> {
  const { folder, plan, holder } = run;
  const dataCounts = await countData(run);
  const usage = await readUsage(folder.store, holder !== undefined);
  const verificationFolder = join(folder.path, VERIFICATION_FOLDER);
  await requireDirectories(verificationFolder, folder.path);
  const verification = await readVerificationResults(verificationFolder);
  const reviewFolder = join(folder.path, REVIEW_FOLDER);
  await requireDirectories(reviewFolder, folder.path);
  const sha256 = await findDataHash(folder);
  const isEarlier = verification !== undefined && verification.data.sha256 !== sha256;
  return {
    ...(isSimulatedRun(plan.inputs) ? { simulated: SIMULATED } : {}),
    facts: [...(await listFacts(run, dataCounts)), ...listUsageFacts(usage)],
    parts: [
      ...buildDataParts(pen, dataCounts),
      ...(await buildFailurePart(run, name)),
      ...(verification === undefined
        ? []
        : [buildVerificationPart(verification, isEarlier ? name : undefined)]),
      ...(await buildReviewParts(reviewFolder, sha256, name)),
      ...buildUsageParts(pen, usage),
    ],
  };
}

const SIMULATED =
  'A model of this run or of its personas is simulated, so its data is simulated as well: use it for testing only. It says nothing about a real model.';

interface CountedPersonas extends CountedDataSet {
  readonly turns: TurnStatistics;
  readonly excludedPersonas: number;
}

/** Counts the personas in the data. Counts their tokens only if building the data sets has not. */
async function countData({ folder, plan, holder }: OpenSynthesis): Promise<CountedPersonas> {
  const { settings } = plan.inputs;
  const isBuilt = holder === undefined && folder.run?.state === 'finished';
  const storedStatistics = isBuilt ? await findRunStatistics(folder.store) : undefined;
  const counter =
    storedStatistics === undefined ? new DataSetCounter({ ...settings, withRecords: true }) : undefined;
  const turns = createTurnCounter();
  let excludedPersonas = 0;
  for await (const persona of readStoredPersonas(folder.store)) {
    if (!isIncluded(settings, persona)) {
      excludedPersonas += 1;
      continue;
    }
    turns.add(persona);
    counter?.addStored(persona, splitInstances(persona.record, settings.seed));
  }
  const dataCounts = storedStatistics ?? counter?.end(computeCompressionRatio);
  if (dataCounts === undefined) throw new Error('A run has statistics, or they are counted.');
  return { ...dataCounts, turns: turns.end(), excludedPersonas };
}

async function listFacts(
  { folder, plan, holder }: OpenSynthesis,
  { statistics, excludedPersonas }: CountedPersonas,
): Promise<Report['facts']> {
  const { id, settings, prompts } = plan.inputs;
  const { finished, failed } = await listClosedPersonas(folder.store);
  const isDone = finished.length + failed.length === settings.nPersonas && folder.run?.state === 'finished';
  const state = isDone ? 'finished' : holder === undefined ? 'stopped' : 'in progress';
  const specs = listModels(plan.inputs);
  const models = MODEL_ROLES.map((role) => [role, formatResultName(specs, settings.models[role])] as const);
  const names = new Set(models.map(([, name]) => name));
  return [
    ['Run', `${id}, ${state}`],
    [
      'Personas',
      [
        `${formatNumber(finished.length)} of ${formatNumber(settings.nPersonas)} finished`,
        `${formatNumber(failed.length)} failed`,
        ...(excludedPersonas === 0 ? [] : [`${formatNumber(excludedPersonas)} left out`]),
      ].join(', '),
    ],
    ['Instances', formatNumber(statistics.instances)],
    ...(names.size === 1
      ? [...names].map((name) => ['Model', name] as const)
      : models.map(([role, name]) => [`Model (${role})`, name] as const)),
    ['Seed', `${settings.seed}`],
    ['Prompts', `${prompts.source}, SHA-256 ${prompts.hash.slice(0, 12)}…`],
  ];
}

/** Names the personas that failed, and why. */
async function buildFailurePart({ folder }: OpenSynthesis, name: string): Promise<ReportPart[]> {
  const failures = (await readFailedPersonas(folder.store)).flat();
  if (failures.length === 0) return [];
  return [
    {
      title: 'Failed personas',
      blocks: [
        <NumberTable
          label="Failed personas"
          table={{
            names: 'persona',
            columns: ['session', 'step', 'kind', 'cause'].map((title) => ({ title, isText: true })),
            rows: failures.map(({ persona, session, step, kind, cause }) => ({
              name: `${persona}`,
              cells: [`${session ?? NOTHING}`, step ?? NOTHING, kind, cause],
            })),
          }}
        />,
        <Notes
          lines={[`The rejected answers: cupid failures ${name}. To do this work again: cupid retry ${name}`]}
        />,
      ],
    },
  ];
}

function buildDataParts(pen: Pen, { statistics, figures, turns }: CountedPersonas): ReportPart[] {
  if (statistics.personas === 0) {
    return [{ title: 'Data', blocks: [<p>No persona is finished yet.</p>] }];
  }
  return [
    {
      title: 'Statistics',
      blocks: [
        <NumberTable
          table={{
            ...buildStatisticsTable(statistics),
            title: 'What the paper reports about its data (section 3.3), beside this data',
          }}
        />,
        <Notes lines={renderStatisticsNotes(statistics)} />,
      ],
    },
    {
      title: 'Types of factors, preferences and tasks (figure 7)',
      blocks: [
        <p>How often each type occurs. The paper shows its distributions as a figure without numbers.</p>,
        <Figures
          figures={drawDistributions(pen, [
            ['factor-types', 'Types of context factors', 'context factors', statistics.factorTypes],
            [
              'preference-types',
              'Types of contextual preferences',
              'preferences',
              statistics.preferenceTypes,
            ],
            ['task-types', 'Types of tasks', 'sessions', statistics.taskTypes],
          ])}
        />,
      ],
    },
    {
      title: 'Turns and scores',
      blocks: [<Figures figures={drawTurns(pen, turns)} />],
    },
    {
      title: 'Quality',
      blocks: [
        ...describeWeakChoices(figures).map((warning) => <Paragraph kind="warning" text={warning} />),
        <NumberTable table={{ ...buildFigureTable(figures), title: 'Figures of the quality of the data' }} />,
        <Notes
          lines={[INTERVAL_NOTE, 'What each figure means, and what is normal: docs/data-quality.md.']}
        />,
      ],
    },
  ];
}

/** Draws how often each type occurs, in distributions of several types. */
export function drawDistributions(
  { plot, draw }: Pen,
  distributions: readonly (readonly [
    name: string,
    title: string,
    counted: string,
    of: Distribution | undefined,
  ])[],
): Figure[] {
  // Charts beside each other have the same scale.
  const maximum = Math.max(
    ...distributions.flatMap(([, , , distribution = []]) => distribution.map(({ share }) => 100 * share)),
  );
  return distributions.flatMap(([name, title, noun, distribution = []]) => {
    if (distribution.length < 2) return [];
    const types = distribution.map(({ type }) => type);
    const shorten = shortenNames(types);
    const total = distribution.reduce((sum, { count }) => sum + count, 0);
    const note = `Share of ${formatNumber(total)} ${noun}, the most frequent first.`;
    const bars = distribution.map((typeShare) => ({ ...typeShare, percent: 100 * typeShare.share }));
    return [
      {
        name,
        title,
        note,
        drawing: draw(`${title}. ${note}`, {
          width: WIDTHS.third,
          height: 40 + 20 * types.length,
          marginLeft: computeLabelMargin(types.map(shorten)),
          marginRight: 50,
          x: { label: 'share (%)', grid: true, nice: true, domain: [0, maximum], ticks: 5 },
          y: { domain: types, label: null, tickFormat: shorten },
          marks: [
            plot.barX(bars, { x: 'percent', y: 'type', fill: 'var(--s1)', fillOpacity: 0.8 }),
            plot.text(bars, {
              x: 'percent',
              y: 'type',
              text: ({ share }: { readonly share: number }) => `${formatPercent(share)} %`,
              textAnchor: 'start',
              dx: 5,
            }),
            plot.ruleX([0]),
          ],
        }),
        width: 'third',
        columns: ['type', 'count', 'share'],
        rows: distribution.map(({ type, count, share }) => [type, count, share]),
      },
    ];
  });
}

function drawTurns(pen: Pen, { lengths, scores }: TurnStatistics): Figure[] {
  const { plot, draw } = pen;
  if (scores.length === 0) return [];
  const ends = buildSeries(['satisfied', 'unsatisfied']).map((series) => ({
    ...series,
    opacity: series.name === 'satisfied' ? 0.9 : 0.45,
  }));
  const dialogues = lengths.flatMap(({ turns, satisfied, unsatisfied }) => [
    { turns, end: 'satisfied', count: satisfied },
    { turns, end: 'unsatisfied', count: unsatisfied },
  ]);
  const turns = lengths.map((length) => length.turns);
  const grades = scores.flatMap(({ turn, dialogues: all, counts }) =>
    counts.map((count, at) => ({ turn, score: at + 1, count, share: count / all })),
  );
  const lengthNote =
    'Dialogues by the number of turns that the user scored. Those in the upper, lighter part did not end with a satisfied user.';
  const scoreNote =
    'Share (%) of the dialogues that had this turn in which the user gave this score, with the mean beneath each turn. A score of 10 ends a dialogue.';
  return [
    {
      name: 'dialogue-lengths',
      title: 'Turns of the dialogues',
      note: lengthNote,
      legend: drawLegend(pen, ends, 'bar'),
      drawing: draw(`Turns of the dialogues. ${lengthNote}`, {
        height: 240,
        marginLeft: 56,
        x: { domain: turns, label: 'turns', type: 'band' },
        y: { label: 'dialogues', grid: true, nice: true },
        color: buildSeriesScales(ends).color,
        marks: [
          plot.barY(dialogues, {
            x: 'turns',
            y: 'count',
            fill: 'end',
            fillOpacity: ({ end }: { readonly end: string }) => (end === 'satisfied' ? 0.9 : 0.45),
            stroke: 'end',
            strokeDasharray: '2,2',
          }),
          plot.ruleY([0]),
        ],
      }),
      columns: ['turns', 'satisfied', 'unsatisfied'],
      rows: lengths.map((length) => [length.turns, length.satisfied, length.unsatisfied]),
    },
    {
      name: 'scores-by-turn',
      title: 'Scores by turn',
      note: scoreNote,
      drawing: draw(`Scores by turn. ${scoreNote}`, {
        height: 310,
        marginLeft: 48,
        marginBottom: 48,
        x: {
          domain: scores.map(({ turn }) => turn),
          label: 'turn, mean score',
          type: 'band',
          tickSize: 0,
          tickFormat: (turn: number) => `${turn}\n${formatScore(scores[turn - 1]?.mean)}`,
        },
        y: {
          domain: Array.from({ length: 10 }, (_, at) => 10 - at),
          label: 'score',
          type: 'band',
          tickSize: 0,
        },
        opacity: { type: 'identity' },
        marks: [
          plot.cell(grades, {
            x: 'turn',
            y: 'score',
            inset: 0.5,
            fill: 'var(--s1)',
            fillOpacity: ({ share }: { readonly share: number }) => 0.05 + 0.4 * share,
          }),
          plot.text(
            grades.filter(({ count }) => count > 0),
            {
              x: 'turn',
              y: 'score',
              text: ({ share }: { readonly share: number }) => (100 * share).toFixed(share < 0.01 ? 1 : 0),
            },
          ),
        ],
      }),
      columns: ['turn', 'dialogues', 'mean', ...Array.from({ length: 10 }, (_, at) => `score ${at + 1}`)],
      rows: scores.map(({ turn, dialogues: all, mean, counts }) => [turn, all, mean, ...counts]),
    },
  ];
}

function describeEarlier(run: string): string {
  return `This verification is of an earlier state of the data of this run. To verify its present state: cupid verify ${quotePath(run)} --model SPEC --results-dir DIR`;
}

/** Builds the part with the totals of a verification. @param changed name of its run, if that has changed since */
export function buildVerificationPart(results: VerificationResults, changed?: string): ReportPart {
  const { verifier, all, personas, simulated } = results;
  return {
    title: 'Verification by a model',
    blocks: [
      ...(simulated
        ? [
            <Warning
              title="Simulated."
              text="The data or the verifier is simulated: use these verdicts for testing only."
            />,
          ]
        : []),
      <Paragraph
        text={`${formatModelName(verifier)} verified ${formatCount(all.n_instances, 'instance')} of ${formatNumber(personas.verified)} of the ${formatCount(personas.all, 'persona')} (paper, 3.2).`}
      />,
      ...(changed === undefined ? [] : [<Warning title="Earlier data." text={describeEarlier(changed)} />]),
      <NumberTable
        table={{ ...buildVerificationTable(results), title: 'Accepted instances, and verdicts' }}
      />,
      <Notes
        lines={[
          `Accepted: ${formatNumber(all.accepted)}. Rejected: ${formatNumber(all.rejected)}. Undecided: ${formatNumber(all.undecided)}.`,
          ...describeSureness(results),
        ]}
      />,
    ],
  };
}
