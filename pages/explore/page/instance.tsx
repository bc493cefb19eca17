import { useEffect, useRef } from 'preact/hooks';
import type { Exploration, InstanceView } from '../answers';
import { useAnswer, usePlace, ViewLink } from '../../parts/address';
import { Provenance, Verification } from './evidence';
import { Labels } from './labels';
import { ResultsPanel } from './results';
import { FailedRequest } from './problems';
import { MessageLink, Sessions, type ViewProps } from './sessions';
import { VerdictBadges } from './verdict-badges';
import { Badge, Facts, LongText, Paragraph, Text, Waiting } from '../../parts/text';

/** Renders an instance: its request and sessions, and beside them the results of models and the verifier. */
export function InstancePanel({ exploration }: { readonly exploration: Exploration }) {
  const { address } = usePlace();
  const { instance: persona = '', 'type-of': type = '' } = address;
  const query = new URLSearchParams({ persona, type }).toString();
  const { live, reading, version } = exploration.progress;
  const { value: view, error } = useAnswer<InstanceView>(`api/instance?${query}`, version);
  const heading = useRef<HTMLHeadingElement>(null);
  const focused = useRef<Element | null>(null);
  const isThere = view !== undefined;
  // An opened instance takes the focus for reading on by keyboard, unless the focus has moved meanwhile.
  useEffect(() => void (focused.current = document.activeElement), [persona, type]);
  useEffect(() => {
    const { activeElement: now, body } = document;
    if (now === focused.current || now === body) heading.current?.focus();
  }, [persona, type, isThere]);
  if (error !== undefined) {
    return (
      <>
        <h1>
          <Text text={persona} /> {type !== '' && <Badge kind={type}>{type}</Badge>}
        </h1>
        <FailedRequest error={error}>
          <ViewLink to={{ instance: '', 'type-of': '', s: '', m: '', a: '', b: '' }}>
            Back to the list
          </ViewLink>
        </FailedRequest>
      </>
    );
  }
  if (view === undefined) return <Waiting error={undefined} />;
  const { instance } = view;
  const session = Math.min(Math.max(1, Number(address['s'] ?? '') || findFirst(view)), view.sessions.length);
  return (
    <article>
      <h1 ref={heading} tabIndex={-1}>
        <Text text={instance.persona_id} />{' '}
        <Badge kind={instance.instance_type}>{instance.instance_type}</Badge>
      </h1>
      <p class="head">
        <VerdictBadges verdict={view.listed.verdict} labels={view.listed.labels} />
      </p>
      {view.persona !== undefined && (
        <details class="persona">
          <summary>
            Persona {view.persona.number}: <Text text={view.persona.occupation} />
          </summary>
          <Paragraph text={view.persona.description} />
          <Paragraph kind="facts" text={view.persona.traits.join(' · ')} />
        </details>
      )}
      <div class="columns">
        <div>
          <CurrentRequest view={view} />
          <Sessions view={view} number={session} />
        </div>
        <div>
          {exploration.columns.length > 0 && (
            <ResultsPanel columns={exploration.columns} mayGrow={live || reading} view={view} />
          )}
          <Verification view={view} />
          <Labels view={view} />
          <Provenance view={view} />
        </div>
      </div>
    </article>
  );
}

/** Returns the number of the first relevant session, or 1 if there is none. */
function findFirst({ sessions }: InstanceView): number {
  return (
    1 +
    Math.max(
      0,
      sessions.findIndex(({ relation }) => relation === 'relevant'),
    )
  );
}

function CurrentRequest({ view }: ViewProps) {
  const { address } = usePlace();
  const { instance, verification } = view;
  const { factorType, preferenceType, task } = view.listed;
  return (
    <section>
      <h2>Current request</h2>
      <LongText label="Current request" text={instance.current_request} mark={address['q']} />
      <Facts
        facts={[
          ['Context factor', instance.current_context_factor],
          ['Preference', instance.current_contextual_preference],
          ['Types', factorType && [factorType, preferenceType, task].filter(Boolean).join(' · ')],
        ]}
      />
      <h3>Checklist</h3>
      <ol>
        {instance.current_checklist.map((item) => {
          const at = verification?.row.items.findIndex(
            (entry) => entry.role === 'current' && entry.item === item,
          );
          const place = at === undefined || at < 0 ? undefined : verification?.first[at];
          return (
            <li key={item}>
              <Text text={item} />
              {place && (
                <>
                  {' '}
                  <MessageLink place={place}>
                    first expressed in session {place.session + 1}, message {place.message + 1}
                  </MessageLink>
                </>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
