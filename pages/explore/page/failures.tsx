import type { DialogueView, FailureView } from '../answers';
import { type ViewPlace, useAnswer, ViewLink } from '../../parts/address';
import { Attempts } from './attempts';
import { formatCost } from './evidence';
import { formatCount } from '../../../schemas/text/count-text';
import { Paragraph, Problem, TextList, WorkflowLink } from '../../parts/text';

interface FailuresProps extends ViewPlace {
  readonly version: number;
}

/** Renders the failed work of a run, and the answers of a chosen failed dialogue. */
export function Failures({ address, navigate, version }: FailuresProps) {
  const { value: failures, error } = useAnswer<readonly FailureView[]>('/api/failures', version);
  const open = failures?.find(({ name }) => name === address['work']);
  return (
    <>
      <h1>Failures</h1>
      <Problem text={error} />
      {failures?.length === 0 && <p>Nothing failed.</p>}
      <ol class="failures">
        {failures?.map((failure) => (
          <li key={failure.name}>
            <h2>
              <ViewLink
                to={{ work: failure === open ? '' : failure.name }}
                current={failure === open && 'true'}
                {...{ address, navigate }}
              >
                {failure.session === null
                  ? `Persona ${failure.persona}`
                  : `Persona ${failure.persona}, session ${failure.session}`}
              </ViewLink>{' '}
              <span class="facts">
                {[failure.step, failure.kind, formatCount(failure.calls, 'call'), formatCost(failure.cost)]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </h2>
            <Paragraph text={failure.cause} />
            {failure === open && <FailureDetails failure={failure} />}
          </li>
        ))}
      </ol>
    </>
  );
}

function FailureDetails({ failure }: { readonly failure: FailureView }) {
  const { persona, session, reasons, workflow } = failure;
  const path =
    persona === null || session === null ? undefined : `/api/dialogue?persona=${persona}&session=${session}`;
  const { value: dialogue } = useAnswer<DialogueView>(path, 0);
  return (
    <>
      {reasons.length > 0 && <TextList texts={reasons} />}
      <WorkflowLink address={workflow} />
      {dialogue?.turns.map(({ turn, assistant, user }) => (
        <section key={turn}>
          <h3>Turn {turn}: assistant</h3>
          <Attempts attempts={assistant} />
          {user.length > 0 && <h3>Turn {turn}: user</h3>}
          <Attempts attempts={user} />
        </section>
      ))}
    </>
  );
}
