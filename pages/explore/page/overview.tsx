import { useState } from 'preact/hooks';
import { getFigures, type SectionCharts } from '../../charts/figure';
import type {
  ChartsView,
  Exploration,
  LeaderboardsView,
  PageTable,
  SectionView,
  SummaryView,
} from '../answers';
import { useAnswer, ViewLink } from '../../parts/address';
import { Figures } from '../../parts/figure';
import { LinkedComparisons, Leaderboards } from './leaderboards';
import { LinkedTable } from './linked-table';
import { FailedRequest } from './problems';
import { Notes, Paragraph, Text } from '../../parts/text';

interface OverviewProps {
  readonly exploration: Exploration;
  readonly version: number;
}

/** Renders what is known of the sources in numbers. It is shown until an instance is chosen. */
export function Overview({ exploration, version }: OverviewProps) {
  const { names, columns, progress } = exploration;
  // The files of a finished run do not change while the instances are read.
  const state = progress.reading ? 0 : version;
  const boards = useAnswer<LeaderboardsView>('api/leaderboards', state);
  const summary = useAnswer<SummaryView>('api/summary', state);
  const costs = useAnswer<readonly PageTable[]>('api/costs', progress.live ? 0 : 1);
  const analyses = useAnswer<readonly SectionView[]>('api/analyses', state);
  // Charts are drawn when a reader unfolds the first section.
  const [wantsCharts, setWantsCharts] = useState(false);
  const charts = useAnswer<readonly ChartsView[]>(wantsCharts ? 'api/charts' : undefined, state);
  const problems = [...progress.problems, ...(summary.value?.warnings ?? [])];
  const errors = new Set([boards, summary, costs, analyses, charts].flatMap(({ error }) => error ?? []));
  const sections = analyses.value ?? [];
  const sources = new Set(sections.map(({ source }) => source));
  const hasSources = sources.size > 1;
  const findFigures = (source: string, topic: SectionCharts['topic']) =>
    getFigures(charts.value?.find((view) => view.source === source)?.charts ?? [], topic);
  return (
    <>
      <h1>
        <Text text={names.join(', ')} />
      </h1>
      <LinkedComparisons comparisons={boards.value?.comparisons ?? []} />
      {problems.map((problem) => (
        <Paragraph key={problem} kind="problem" text={problem} />
      ))}
      {[...errors].map((error) => (
        <FailedRequest key={error} error={error} />
      ))}
      <Notes lines={summary.value?.facts ?? []} />
      <p>
        Choose an instance to read it with its sessions, or a number to see the instances behind it. Press ?
        for the keys.
      </p>
      <Leaderboards boards={boards.value?.boards ?? []} />
      <Notes lines={boards.value?.notes ?? []} />
      {[...sources].map((source) => (
        <details key={source} onToggle={() => setWantsCharts(true)}>
          <summary>
            <Text text={hasSources ? `${source}: scores as charts` : 'Scores as charts'} />
          </summary>
          <Figures figures={findFigures(source, 'scores')} />
        </details>
      ))}
      {columns.length > 1 && (
        <p>
          <ViewLink to={{ sort: 'disagreement', columns: '', from: '' }}>
            Instances whose scores differ most
          </ViewLink>
        </p>
      )}
      {sections.length > 0 && <h2>Analyses</h2>}
      {sections.map(({ source, topic, title, explanation, tables: sectionTables }) => (
        <details key={`${source} ${title}`} onToggle={() => setWantsCharts(true)}>
          <summary>
            <Text text={hasSources ? `${source}: ${title}` : title} />
          </summary>
          <Paragraph kind="facts" text={explanation} />
          <Figures figures={findFigures(source, topic)} />
          <Tables tables={sectionTables} />
        </details>
      ))}
      <Tables tables={summary.value?.tables ?? []} />
      <Tables tables={costs.value ?? []} />
    </>
  );
}

/** Renders tables beside each other, as many as fit. */
function Tables({ tables }: { readonly tables: readonly PageTable[] }) {
  return (
    <div class="beside">
      {tables.map((table, at) => (
        <div key={at}>
          <LinkedTable table={table} />
        </div>
      ))}
    </div>
  );
}
