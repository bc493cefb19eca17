import type { DataStatistics, Distribution } from '../../schemas/dataset/data-statistics';
import { readPaperNumbers } from '../paper';
import { formatCount } from '../../schemas/text/count-text';
import {
  type NumberForm,
  type Table,
  type TableRow,
  toKnownQuantity,
  toQuantity,
} from '../../schemas/text/table';
import { renderBullets, renderMarkdownTable } from './markdown';

/** Renders the section with the data's statistics beside those of the paper's data. */
export function renderStatistics(statistics: DataStatistics): string {
  return [
    renderMarkdownTable(buildStatisticsTable(statistics)),
    renderBullets(renderStatisticsNotes(statistics)),
    ...renderDistributions(statistics),
  ].join('\n\n');
}

/** Builds the table of the statistics that the paper reports of its data (3.3), here and there. */
export function buildStatisticsTable(statistics: DataStatistics): Table {
  const { data: paper } = readPaperNumbers();
  return {
    columns: [{ title: 'Here' }, { title: "CUPID (the paper's data)" }],
    rows: [
      compareWithPaper('Personas', statistics.personas, paper.personas, 'count'),
      compareWithPaper('Instances', statistics.instances, paper.instances, 'count'),
      compareWithPaper(
        'Tokens per preference, mean',
        statistics.preferenceTokens,
        paper.preferenceTokens,
        'mean',
      ),
      compareWithPaper(
        'Checklist items per preference, mean',
        statistics.checklistItems,
        paper.checklistEntries,
        'score',
      ),
      compareWithPaper(
        'Messages per dialogue (both sides), mean',
        statistics.messages,
        paper.dialogueTurns,
        'score',
      ),
      compareWithPaper('User messages per dialogue, mean', statistics.userMessages, null, 'score'),
      compareWithPaper('Tokens per dialogue, mean', statistics.dialogueTokens, paper.dialogueTokens, 'mean'),
      compareWithPaper(
        'Tokens of the prior dialogues per instance, mean',
        statistics.priorTokens,
        paper.priorTokens,
        'mean',
      ),
    ],
  };
}

/** @param paperValue null if the paper does not report it */
function compareWithPaper(
  name: string,
  value: number | undefined,
  paperValue: number | null,
  form: NumberForm,
): TableRow {
  const paperCell = paperValue === null ? 'not reported' : toQuantity(paperValue, form);
  return { name, cells: [toKnownQuantity(value, form), paperCell] };
}

export function renderStatisticsNotes({ tokenizer, preferences, dialogues }: DataStatistics): string[] {
  return [
    `Tokens are counted with ${tokenizer}, in the texts alone. The paper names no tokenizer and may count more than the texts.`,
    "Messages are those of the user and of the assistant, including the opening request. The paper reports turns per dialogue and does not define a turn. Its number is compared with the messages of both sides, because the published data set has 6.79 messages per prior dialogue, of which 3.89 are the user's (dialogues counted as often as instances use them).",
    `Means are over ${formatCount(preferences, 'preference')}, each counted once per persona, and over ${formatCount(dialogues, 'dialogue')}, each counted once even if several instances contain it.`,
  ];
}

function renderDistributions({ factorTypes, preferenceTypes, taskTypes }: DataStatistics): string[] {
  if (factorTypes === undefined || preferenceTypes === undefined || taskTypes === undefined) {
    return [
      'The types of context factors, preferences and tasks are unknown: only the records of the personas (CUPID-Raw) contain them.',
    ];
  }
  return [
    'The tables below show how often each type occurs. The paper shows its distributions only as a figure (figure 7).',
    renderDistribution('Type of context factor', factorTypes),
    renderDistribution("Type of a context factor's preference", preferenceTypes),
    renderDistribution("Type of a session's task", taskTypes),
  ];
}

function renderDistribution(title: string, counts: Distribution): string {
  return renderMarkdownTable({
    names: title,
    columns: [{ title: 'Count' }, { title: 'Share' }],
    rows: counts.map(({ type, count, share }) => ({
      // A foreign type may be any text.
      name: type.replaceAll(/[|\s]+/g, ' '),
      cells: [toQuantity(count), toQuantity(share, 'share')],
    })),
  });
}
