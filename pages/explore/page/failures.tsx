import type { DialogueView, FailureView } from '../answers';
import { type Address, buildLink, type Navigate, useAnswer } from '../../parts/address';
import { Attempts } from './attempts';
import { formatCost } from './evidence';
import { formatCount, Problem, Text, WorkflowLink } from '../../parts/text';

interface FailuresProps {
  readonly address: Address;
  readonly navigate: Navigate;
  readonly version: number;
}

/** What failed of a run, and the answers of a dialogue that failed. */
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
              <a
                href={buildLink(address, { work: failure.name })}
                aria-current={failure === open ? 'true' : undefined}
                onClick={(event) => {
                  event.preventDefault();
                  navigate({ work: failure === open ? '' : failure.name });
                }}
              >
                {failure.session === null
                  ? `Persona ${failure.persona}`
                  : `Persona ${failure.persona}, session ${failure.session}`}
              </a>{' '}
              <span class="facts">
                {[failure.step, failure.kind, formatCount(failure.calls, 'call'), formatCost(failure.cost)]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </h2>
            <p>
              <Text text={failure.cause} />
            </p>
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
      {reasons.length > 0 && (
        <ol>
          {reasons.map((reason, at) => (
            <li key={at}>
              <Text text={reason} />
            </li>
          ))}
        </ol>
      )}
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
