import { formatAmount } from '../../../schemas/text/amount-text';
import type { CallCost } from '../answers';
import { MessageLink, type ViewProps } from './sessions';
import { VerdictBadges } from './verdict-badges';
import { formatCount, formatKnownNumber, formatNumber } from '../../../schemas/text/count-text';
import { Badge, Facts, Paragraph, Text, WorkflowLink } from '../../parts/text';

/** Renders the findings of `cupid verify` with the quotations that support them. */
export function Verification({ view }: ViewProps) {
  const { verification } = view;
  if (verification === undefined) return null;
  const { row, first } = verification;
  return (
    <section>
      <h2>
        Verification <VerdictBadges verdict={view.listed.verdict} />
      </h2>
      <Facts
        facts={[
          ['solvable', row.solvable],
          ['challenging', row.challenging],
          ['contrasting', row.contrasting ?? 'does not apply'],
          ['by', row.verifier],
        ]}
      />
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
              {item.explanation !== null && <Paragraph text={item.explanation} />}
              {place && (
                <MessageLink place={place}>
                  session {place.session + 1}, message {place.message + 1}
                </MessageLink>
              )}
            </li>
          );
        })}
      </ol>
      {row.guess !== null && row.guess !== '' && (
        <>
          <h3>What the request reveals</h3>
          <Paragraph text={row.guess} />
        </>
      )}
      {row.contradiction !== null && (
        <>
          <h3>Contradiction</h3>
          <Paragraph text={row.contradiction} />
        </>
      )}
      {row.unknown_causes.map((cause) => (
        <Paragraph key={cause} kind="problem" text={cause} />
      ))}
    </section>
  );
}

/** Renders the origin of an instance and its cost. */
export function Provenance({ view }: ViewProps) {
  const { provenance, cost, workflow } = view;
  if (provenance === undefined) return null;
  const facts = [
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
    [
      'Tokens',
      `${formatKnownNumber(provenance.input_tokens)} in, ${formatKnownNumber(provenance.output_tokens)} out`,
    ],
    ['Cost of the persona', cost && formatCost(cost)],
    ['Prompts', provenance.prompts_hash.slice(0, 12)],
    ['Version of the code', provenance.code_version],
  ] as const;
  return (
    <section>
      <h2>Provenance {provenance.simulated && <Badge kind="warning">simulated</Badge>}</h2>
      <Facts facts={facts} />
      <WorkflowLink address={workflow} />
    </section>
  );
}

export function formatCost({ usd, lowerBound }: CallCost): string {
  return `${lowerBound ? 'at least ' : ''}${formatAmount(usd, 'usd')}`;
}
