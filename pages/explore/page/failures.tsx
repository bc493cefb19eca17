import type { DialogueView, FailureView, MissingView } from '../answers';
import { joinIds } from '../columns';
import { useAnswer, usePlace, ViewLink } from '../../parts/address';
import { formatCost } from './evidence';
import { Turns } from './attempts';
import { FailedRequest, WrongLink } from './problems';
import { groupBy } from '../../../rules/group-by';
import { formatCount, formatNumber } from '../../../schemas/text/count-text';
import { Paragraph, Text, TextList, WorkflowLink } from '../../parts/text';

/** Renders the missing scores of results, the failed work of a run, and the answers of a chosen failed dialogue. */
export function Failures({ version }: { readonly version: number }) {
  const { address } = usePlace();
  const { value: failures, error } = useAnswer<readonly FailureView[]>('api/failures', version);
  const { value: missing, error: missingError } = useAnswer<readonly MissingView[]>('api/missing', version);
  const { work } = address;
  const open = failures?.find(({ name }) => name === work);
  return (
    <>
      <h1>Failures</h1>
      <FailedRequest error={error ?? missingError} />
      {failures !== undefined && open === undefined && work !== undefined && (
        <WrongLink
          text={`${work} is not among the failures. It may have succeeded since.`}
          to={{ work: '' }}
          place="Show all failures"
        />
      )}
      {failures?.length === 0 && missing?.length === 0 && <p>Nothing failed.</p>}
      {missing?.map((view) => (
        <MissingList key={view.folder} {...view} />
      ))}
      <ol class="failures">
        {failures?.map((failure) => (
          <li key={failure.name}>
            <h2>
              <ViewLink
                to={{ work: failure === open ? '' : failure.name }}
                current={failure === open && 'true'}
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

/** Renders the missing scores of a results folder, each number with a link to its instances. */
function MissingList({ folder, remedy, scores }: MissingView) {
  return (
    <section>
      <h2>
        Missing scores of <Text text={folder} />
      </h2>
      <Paragraph text={remedy} />
      <ol class="failures">
        {groupByColumn(scores).map(({ column, columnScores }) => (
          <li key={column.number}>
            <h3>
              <ViewLink to={{ view: '', columns: joinIds([column]), failure: 'missing', from: '' }}>
                {formatCount(
                  columnScores.reduce((sum, { count }) => sum + count, 0),
                  'score',
                )}{' '}
                of <Text text={column.model} />
              </ViewLink>{' '}
              <span class="facts">
                {column.task} · context {column.context}
              </span>
            </h3>
            {columnScores.map(({ step, kind, causes, count }) => (
              <div key={`${step} ${kind}`}>
                <Paragraph kind="facts" text={`${formatNumber(count)} · ${step} · ${kind}`} />
                <TextList texts={causes} />
              </div>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

function groupByColumn(scores: MissingView['scores']) {
  return [...groupBy(scores, ({ column }) => column.number).values()].flatMap((columnScores) =>
    columnScores.slice(0, 1).map(({ column }) => ({ column, columnScores })),
  );
}

function FailureDetails({ failure }: { readonly failure: FailureView }) {
  const { persona, session, reasons, retry, workflow } = failure;
  const path =
    persona === null || session === null ? undefined : `api/dialogue?persona=${persona}&session=${session}`;
  const { value: dialogue, error } = useAnswer<DialogueView>(path, 0);
  return (
    <>
      {reasons.length > 0 && <TextList texts={reasons} />}
      <Paragraph text={`Retry it: ${retry}`} />
      <WorkflowLink address={workflow} />
      <FailedRequest error={error} />
      <Turns dialogue={dialogue} />
    </>
  );
}
