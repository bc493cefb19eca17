import { formatAmount } from '../../../schemas/text/amount-text';
import type { CallCost, InstanceView } from '../answers';
import { SessionLink, type ViewProps } from './sessions';
import { Badge, formatCount, formatNumber, Text, WorkflowLink } from '../../parts/text';

/** What `cupid verify` found, with the quotations that it goes by. */
export function Verification({ view, address, navigate }: ViewProps) {
  const { verification } = view;
  if (verification === undefined) return null;
  const { row, first } = verification;
  const verdicts = [
    ['solvable', row.solvable],
    ['challenging', row.challenging],
    ['contrasting', row.contrasting ?? 'does not apply'],
  ] as const;
  return (
    <section>
      <h2>
        Verification{' '}
        <Badge kind={row.accepted ? 'accepted' : 'rejected'}>
          {row.accepted ? 'accepted' : 'not accepted'}
        </Badge>
      </h2>
      <dl>
        {verdicts.map(([name, verdict]) => (
          <>
            <dt>{name}</dt>
            <dd>{verdict}</dd>
          </>
        ))}
        <dt>by</dt>
        <dd>
          <Text text={row.verifier} />
        </dd>
      </dl>
      <h3>Items in the user’s messages</h3>
      <ol>
        {row.items.map((item, at) => {
          const place = first[at];
          return (
            <li key={at}>
              <Text text={item.item} />{' '}
              <Badge kind={item.rating === 'Fully' ? 'accepted' : 'warning'}>
                {item.rating ?? 'unknown'}
              </Badge>{' '}
              <span class="facts">{item.role} preference</span>
              {item.quotations.map((quotation) => (
                <blockquote key={quotation}>
                  <Text text={quotation} />
                </blockquote>
              ))}
              {item.explanation !== null && (
                <p>
                  <Text text={item.explanation} />
                </p>
              )}
              {place && (
                <SessionLink number={place.session + 1} address={address} navigate={navigate}>
                  session {place.session + 1}, message {place.message + 1}
                </SessionLink>
              )}
            </li>
          );
        })}
      </ol>
      {row.guess !== null && row.guess !== '' && (
        <>
          <h3>What the request reveals</h3>
          <p>
            <Text text={row.guess} />
          </p>
        </>
      )}
      {row.contradiction !== null && (
        <>
          <h3>Contradiction</h3>
          <p>
            <Text text={row.contradiction} />
          </p>
        </>
      )}
      {row.unknown_causes.map((cause) => (
        <p key={cause} class="problem">
          <Text text={cause} />
        </p>
      ))}
    </section>
  );
}

/** Where an instance comes from, and what it cost. */
export function Provenance({ view }: { readonly view: InstanceView }) {
  const { provenance, cost, workflow } = view;
  if (provenance === undefined) return null;
  const rows: (readonly [string, string])[] = [
    ['Run', provenance.run],
    ['Workflow', provenance.workflow_id],
    ['Synthesis model', provenance.synthesis_model],
    ['User model', provenance.user_model],
    ['Assistant model', provenance.assistant_model],
    ['Answered by', provenance.answered_by.join(', ')],
    ['Seed', `${provenance.seed}: ${provenance.seed_sentence}`],
    ['Prior sessions', provenance.prior_sessions.join(', ')],
    [
      'Calls of the persona',
      `${formatNumber(provenance.calls)}, ${formatCount(provenance.bad_answers, 'bad answer')}`,
    ],
    ['Tokens', `${formatKnown(provenance.input_tokens)} in, ${formatKnown(provenance.output_tokens)} out`],
    ...(cost === undefined ? [] : [['Cost of the persona', formatCost(cost)] as const]),
    ['Prompts', provenance.prompts_hash.slice(0, 12)],
    ['Code', provenance.code_version],
  ];
  return (
    <section>
      <h2>Provenance {provenance.simulated && <Badge kind="warning">simulated</Badge>}</h2>
      <dl>
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <Text text={value} />
            </dd>
          </>
        ))}
      </dl>
      <WorkflowLink address={workflow} />
    </section>
  );
}

function formatKnown(tokens: number | null): string {
  return tokens === null ? 'unknown' : formatNumber(tokens);
}

export function formatCost({ usd, lowerBound }: CallCost): string {
  return `${lowerBound ? 'at least ' : ''}${formatAmount(usd, 'usd')}`;
}
