import { LABELLED_STATE_TEXTS } from '../../../schemas/review/label-texts';
import { Badge } from '../../parts/text';
import type { ListedInstance } from '../answers';

/** Renders the verdicts on an instance, each with its source: the model of `cupid verify`, and the people of `cupid review`. */
export function VerdictBadges({ verdict, labels }: Pick<ListedInstance, 'verdict' | 'labels'>) {
  return (
    <>
      {verdict !== undefined && <Badge kind={verdict}>model: {verdict}</Badge>}
      {labels !== undefined && (
        <Badge kind={labels.state}>people: {LABELLED_STATE_TEXTS[labels.state]}</Badge>
      )}
      {labels?.differ === true && <Badge kind="warning">{LABELLED_STATE_TEXTS.differ}</Badge>}
    </>
  );
}
