import { useEffect, useRef } from 'preact/hooks';
import type {
  About,
  AttemptView,
  CallCost,
  DialogueView,
  InstanceView,
  SessionView,
  TurnView,
} from '../answers';
import { type Address, buildLink, type Navigate, useAnswer } from './address';
import { Attempts } from './attempts';
import { ResultsPanel } from './results';
import { Badge, formatCount, formatNumber, LongText, Text } from './text';

interface InstanceProps {
  readonly about: About;
  readonly address: Address;
  readonly navigate: Navigate;
}

/** Reads an instance: what is asked, its sessions, and beside them what models and the verifier made of it. */
export function InstancePanel({ about, address, navigate }: InstanceProps) {
  const { instance: persona = '', 'type-of': type = '' } = address;
  const query = new URLSearchParams({ persona, type }).toString();
  const { live, version } = about.progress;
  const { value: view, error } = useAnswer<InstanceView>(
    `/api/instance?${query}`,
    live ? version : about.columns.length,
  );
  const heading = useRef<HTMLHeadingElement>(null);
  const focused = useRef<Element | null>(null);
  const isThere = view !== undefined;
  // Who opens an instance reads on from there, with the keyboard too; unless the focus has moved on meanwhile.
  useEffect(() => void (focused.current = document.activeElement), [persona, type]);
  useEffect(() => {
    const { activeElement: now, body } = document;
    if (now === focused.current || now === body) heading.current?.focus();
  }, [persona, type, isThere]);
  if (error !== undefined)
    return (
      <p class="problem" role="alert">
        {error}
      </p>
    );
  if (view === undefined) return <p role="status">Reading…</p>;
  const { instance } = view;
  const session = Math.min(Math.max(1, Number(address['s'] ?? '') || findFirst(view)), view.sessions.length);
  return (
    <article>
      <h1 ref={heading} tabIndex={-1}>
        <Text text={instance.persona_id} />{' '}
        <Badge kind={instance.instance_type}>{instance.instance_type}</Badge>
      </h1>
      {view.persona !== undefined && (
        <details class="persona">
          <summary>
            Persona {view.persona.number}: <Text text={view.persona.occupation} />
          </summary>
          <p>
            <Text text={view.persona.description} />
          </p>
          <p class="facts">
            <Text text={view.persona.traits.join(' · ')} />
          </p>
        </details>
      )}
      <div class="columns">
        <div>
          <CurrentRequest view={view} address={address} navigate={navigate} />
          <Sessions view={view} number={session} address={address} navigate={navigate} />
        </div>
        <div>
          {about.columns.length > 0 && (
            <ResultsPanel columns={about.columns} view={view} address={address} navigate={navigate} />
          )}
          {view.verification !== undefined && (
            <Verification view={view} address={address} navigate={navigate} />
          )}
          <Provenance view={view} />
        </div>
      </div>
    </article>
  );
}

/** The first relevant session, where there is one. */
function findFirst({ sessions }: InstanceView): number {
  return (
    1 +
    Math.max(
      0,
      sessions.findIndex(({ relation }) => relation === 'relevant'),
    )
  );
}

type ViewProps = Pick<InstanceProps, 'address' | 'navigate'> & { readonly view: InstanceView };

function CurrentRequest({ view, address, navigate }: ViewProps) {
  const { instance, verification } = view;
  return (
    <section>
      <h2>Current request</h2>
      <LongText label="Current request" text={instance.current_request} mark={address['q']} />
      <dl>
        <dt>Context factor</dt>
        <dd>
          <Text text={instance.current_context_factor} />
        </dd>
        <dt>Preference</dt>
        <dd>
          <Text text={instance.current_contextual_preference} />
        </dd>
        {view.listed.factorType !== undefined && (
          <>
            <dt>Types</dt>
            <dd>
              <Text
                text={[view.listed.factorType, view.listed.preferenceType, view.listed.task]
                  .filter(Boolean)
                  .join(' · ')}
              />
            </dd>
          </>
        )}
      </dl>
      <h3>Checklist</h3>
      <ol>
        {instance.current_checklist.map((item) => {
          const at = verification?.row.items.findIndex((one) => one.role === 'current' && one.item === item);
          const place = at === undefined || at < 0 ? undefined : verification?.first[at];
          return (
            <li key={item}>
              <Text text={item} />
              {place && (
                <>
                  {' '}
                  <SessionLink number={place.session + 1} address={address} navigate={navigate}>
                    first expressed in session {place.session + 1}, message {place.message + 1}
                  </SessionLink>
                </>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const RELATIONS = {
  relevant: 'relevant',
  'other-preference': 'same context, other preference',
  other: 'other context',
} as const;

function Sessions({ view, number, address, navigate }: ViewProps & { readonly number: number }) {
  const session = view.sessions[number - 1];
  return (
    <section>
      <h2>Prior sessions</h2>
      <nav class="sessions" aria-label="Prior sessions">
        {view.sessions.map((one, at) => (
          <SessionLink
            key={at}
            number={at + 1}
            isCurrent={at + 1 === number}
            relation={one.relation}
            address={address}
            navigate={navigate}
          >
            {at + 1}
            <span class="visually-hidden">, {RELATIONS[one.relation]}</span>
          </SessionLink>
        ))}
      </nav>
      <p class="legend">
        <span class="key relevant" /> relevant <span class="key other-preference" /> same context, other
        preference <span class="key other" /> other context
      </p>
      {session !== undefined && <Session view={view} session={session} number={number} address={address} />}
    </section>
  );
}

interface SessionLinkProps extends Pick<InstanceProps, 'address' | 'navigate'> {
  readonly number: number;
  readonly relation?: SessionView['relation'];
  readonly isCurrent?: boolean;
  readonly children: preact.ComponentChildren;
}

function SessionLink({ number, relation, isCurrent, address, navigate, children }: SessionLinkProps) {
  return (
    <a
      class={relation}
      href={buildLink(address, { s: String(number) })}
      aria-current={isCurrent === true ? 'true' : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        navigate({ s: String(number) });
      }}
    >
      {children}
    </a>
  );
}

interface SessionProps extends Pick<InstanceProps, 'address'> {
  readonly view: InstanceView;
  readonly session: SessionView;
  readonly number: number;
}

function Session({ view, session, number, address }: SessionProps) {
  const prior = view.instance.prior_interactions[number - 1];
  const persona = view.persona?.number;
  const path =
    persona === undefined || session.number === undefined
      ? undefined
      : `/api/dialogue?persona=${persona}&session=${session.number}`;
  const { value: dialogue, error } = useAnswer<DialogueView>(path, 0);
  if (prior === undefined) return null;
  return (
    <>
      <h3>
        Session {number} of {view.sessions.length}{' '}
        <Badge kind={session.relation}>{RELATIONS[session.relation]}</Badge>
        {session.isSatisfied === false && <Badge kind="warning">never satisfied</Badge>}
      </h3>
      <dl>
        <dt>Context factor</dt>
        <dd>
          <Text text={prior.context_factor} />
        </dd>
        <dt>Preference</dt>
        <dd>
          <Text text={prior.contextual_preference} />
        </dd>
        {session.task !== undefined && (
          <>
            <dt>Task</dt>
            <dd>
              <Text text={session.task} />
            </dd>
          </>
        )}
      </dl>
      {session.checklist !== undefined && (
        <ol class="checklist">
          {session.checklist.map((item, at) => (
            <li key={at}>
              <Text text={item} /> <RaisedIn turns={dialogue?.turns} item={at + 1} />
            </li>
          ))}
        </ol>
      )}
      {error !== undefined && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      <ol class="messages">
        {prior.dialogue.map(({ role, content }, at) => (
          <li key={at} class={role}>
            <MessageHead view={view} number={number} at={at} role={role} turn={findTurn(dialogue, at)} />
            <LongText label={`Message ${at + 1}, ${role}`} text={content} mark={address['q']} />
            <MessageCalls turn={findTurn(dialogue, at)} role={role} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** The turn that a message belongs to: after the opening, the assistant's message and the user's reply. */
function findTurn(dialogue: DialogueView | undefined, message: number): TurnView | undefined {
  return message === 0 ? undefined : dialogue?.turns[Math.ceil(message / 2) - 1];
}

function findUsed(attempts: readonly AttemptView[] | undefined): AttemptView | undefined {
  return attempts?.find(({ verdict }) => verdict === 'used');
}

function RaisedIn({
  turns,
  item,
}: {
  readonly turns: readonly TurnView[] | undefined;
  readonly item: number;
}) {
  const raised = (turns ?? []).filter(({ user }) => findUsed(user)?.raised?.includes(item) === true);
  if (raised.length === 0) return null;
  return <span class="facts">raised after turn {raised.map(({ turn }) => turn).join(', ')}</span>;
}

interface MessageProps {
  readonly view: InstanceView;
  readonly number: number;
  readonly at: number;
  readonly role: string;
  readonly turn: TurnView | undefined;
}

function MessageHead({ view, number, at, role, turn }: MessageProps) {
  const reply = findUsed(turn?.user);
  const { verification } = view;
  const expressed = (verification?.row.items ?? []).filter((_, item) => {
    const place = verification?.first[item];
    return place?.session === number - 1 && place.message === at;
  });
  return (
    <p class="head">
      <strong>{role}</strong> <span class="facts">message {at + 1}</span>
      {role === 'assistant' && reply?.score !== undefined && (
        <Badge kind={reply.score === 10 ? 'accepted' : 'score'}>score {reply.score}/10</Badge>
      )}
      {role === 'user' && at > 0 && (reply?.raised?.length ?? 0) > 0 && (
        <Badge kind="score">raises item {reply?.raised?.join(', ')}</Badge>
      )}
      {expressed.map(({ item }) => (
        <Badge key={item} kind="evidence">
          first expresses: <Text text={item} />
        </Badge>
      ))}
    </p>
  );
}

/** The bad answers before the one that counts. */
function MessageCalls({ turn, role }: Pick<MessageProps, 'turn' | 'role'>) {
  const attempts = (role === 'assistant' ? turn?.assistant : turn?.user) ?? [];
  const bad = attempts.filter(({ verdict }) => verdict !== 'used').length;
  const used = findUsed(attempts);
  if (used === undefined) return null;
  return (
    <details class="calls">
      <summary>
        {bad > 0 ? `${formatCount(bad, 'repaired answer')}; ` : ''}
        <Text text={used.model} />, {formatNumber(Math.round(used.milliseconds))} ms
        {used.tokens.output === null ? '' : `, ${formatCount(used.tokens.output, 'token')}`}
      </summary>
      <Attempts attempts={attempts} />
    </details>
  );
}

function Verification({ view, address, navigate }: ViewProps) {
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
      <h3>Items in the users’ messages</h3>
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

function Provenance({ view }: { readonly view: InstanceView }) {
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
      {workflow !== undefined && (
        <p>
          <a href={workflow} target="_blank" rel="noreferrer noopener">
            Open the workflow in Temporal’s UI
          </a>
        </p>
      )}
    </section>
  );
}

function formatKnown(tokens: number | null): string {
  return tokens === null ? 'unknown' : formatNumber(tokens);
}

export function formatCost({ usd, lowerBound }: CallCost): string {
  return `${lowerBound ? 'at least ' : ''}$${usd.toFixed(usd !== 0 && usd < 0.01 ? 4 : 2)}`;
}
