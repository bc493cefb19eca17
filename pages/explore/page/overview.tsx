import type { Exploration, LeaderboardsView, PageTable, SectionView, SummaryView } from '../answers';
import { useAnswer, ViewLink } from '../../parts/address';
import { Comparisons, Leaderboards } from './leaderboards';
import { NumberTable } from './number-table';
import { FailedRequest } from './problems';
import { Paragraph, Text } from '../../parts/text';

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
  const problems = [...progress.problems, ...(summary.value?.warnings ?? [])];
  const errors = new Set([boards, summary, costs, analyses].flatMap(({ error }) => error ?? []));
  const sections = analyses.value ?? [];
  const hasSources = new Set(sections.map(({ source }) => source)).size > 1;
  return (
    <>
      <h1>
        <Text text={names.join(', ')} />
      </h1>
      <Comparisons comparisons={boards.value?.comparisons ?? []} />
      {problems.map((problem) => (
        <Paragraph key={problem} kind="problem" text={problem} />
      ))}
      {[...errors].map((error) => (
        <FailedRequest key={error} error={error} />
      ))}
      {summary.value?.facts.map((fact) => (
        <Paragraph key={fact} kind="facts" text={fact} />
      ))}
      <p>
        Choose an instance to read it with its sessions, or a number to see the instances behind it. Press ?
        for the keys.
      </p>
      <Leaderboards boards={boards.value?.boards ?? []} />
      {columns.length > 1 && (
        <p>
          <ViewLink to={{ sort: 'disagreement', columns: '', from: '' }}>
            Instances whose scores differ most
          </ViewLink>
        </p>
      )}
      {sections.length > 0 && <h2>Analyses</h2>}
      {sections.map(({ source, title, explanation, tables: sectionTables }) => (
        <details key={`${source} ${title}`}>
          <summary>
            <Text text={hasSources ? `${source}: ${title}` : title} />
          </summary>
          <Paragraph kind="facts" text={explanation} />
          {sectionTables.map((table, at) => (
            <NumberTable key={at} table={table} />
          ))}
        </details>
      ))}
      <Tables tables={summary.value?.tables ?? []} />
      <Tables tables={costs.value ?? []} />
    </>
  );
}

function Tables({ tables }: { readonly tables: readonly PageTable[] }) {
  return tables.map((table) => <NumberTable key={table.title} table={table} />);
}
