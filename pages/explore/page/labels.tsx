import { LABEL_TEXTS } from '../../../schemas/review/label-texts';
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
      {raters.length > 0 && (
        <div class="scores" role="group" aria-label="Labels" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <td />
                {raters.map((rater) => (
                  <th key={rater} scope="col">
                    {rater}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {items.map(({ item, labels }) => (
                <tr key={item}>
                  <th scope="row">
                    <Text text={item} />
                  </th>
                  {labels.map((label, at) => (
                    <td key={raters[at]} class="score">
                      {label === null ? '' : LABEL_TEXTS[label]}
                    </td>
                  ))}
                  <td class="score">{new Set(labels).size > 1 && <Badge kind="warning">differ</Badge>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {notes.map((note, at) => (
        <Paragraph key={at} text={note} />
      ))}
    </>
  );
}
