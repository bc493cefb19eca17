import { LABEL_TEXTS } from '../../../schemas/review/label-texts';
import type { Table } from '../../../schemas/text/table';
import { NumberTable } from '../../parts/table';
import { Badge, Paragraph, Text } from '../../parts/text';
import type { LabelledTask } from '../answers';
import type { ViewProps } from './sessions';
import { VerdictBadges } from './verdict-badges';

/** Renders the labels of the raters of `cupid review`, with the items on which they differ. */
export function Labels({ view: { labelled, listed } }: ViewProps) {
  if (listed.labels === undefined) return null;
  return (
    <section>
      <h2>
        Review by people <VerdictBadges labels={listed.labels} />
      </h2>
      {labelled.map((task, at) => (
        <Task key={at} {...task} />
      ))}
    </section>
  );
}

function Task({ kind, preference, outcome, raters, items, notes }: LabelledTask) {
  return (
    <>
      <h3>
        {kind === 'request' ? 'Items that the request reveals' : <Text text={preference} />}{' '}
        <Badge kind={outcome === 'sound' ? 'accepted' : outcome}>{outcome}</Badge>
      </h3>
      {raters.length > 0 && <NumberTable table={buildLabelTable(raters, items)} label="Labels" />}
      {notes.map((note, at) => (
        <Paragraph key={at} text={note} />
      ))}
    </>
  );
}

function buildLabelTable(raters: LabelledTask['raters'], items: LabelledTask['items']): Table {
  return {
    columns: [...raters, ''].map((title) => ({ title, isText: true })),
    rows: items.map(({ item, labels }) => ({
      name: item,
      cells: [
        ...labels.map((label) => (label === null ? '' : LABEL_TEXTS[label])),
        new Set(labels).size > 1 ? { value: null, text: '', mark: 'differ' } : '',
      ],
    })),
  };
}
