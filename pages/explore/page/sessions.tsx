import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isSatisfied } from '../../../rules/dialogue/ending';
import type {
  AttemptView,
  DialogueView,
  InstanceView,
  MessagePlace,
  SessionView,
  TurnView,
} from '../answers';
import { useAnswer, usePlace, ViewLink } from '../../parts/address';
import { Attempts } from './attempts';
import { FailedRequest, WrongLink } from './problems';
import { formatCount, formatNumber } from '../../../schemas/text/count-text';
import { Badge, Facts, LongText, Text } from '../../parts/text';

export interface ViewProps {
  readonly view: InstanceView;
}

const RELATIONS = {
  relevant: 'relevant',
  'other-preference': 'same context, other preference',
  other: 'other context',
} as const;

/** Renders the list of prior sessions and one session's dialogue. */
export function Sessions({ view, number }: ViewProps & { readonly number: number }) {
  const session = view.sessions[number - 1];
  const { s: linked = String(number) } = usePlace().address;
  return (
    <section>
      <h2>Prior sessions</h2>
      {linked !== String(number) && (
        <WrongLink
          text={`This link names session ${linked}, and the instance has ${formatCount(view.sessions.length, 'prior session')}.`}
          to={{ s: String(number), m: '' }}
          place={`Go on with session ${number}`}
        />
      )}
      <nav class="sessions" aria-label="Prior sessions">
        {view.sessions.map((sessionView, at) => (
          <SessionLink key={at} number={at + 1} isCurrent={at + 1 === number} relation={sessionView.relation}>
            {at + 1}
            <span class="visually-hidden">, {RELATIONS[sessionView.relation]}</span>
          </SessionLink>
        ))}
      </nav>
      <p class="legend">
        <span>
          <span class="key relevant" /> relevant
        </span>{' '}
        <span>
          <span class="key other-preference" /> same context, other preference
        </span>{' '}
        <span>
          <span class="key other" /> other context
        </span>
      </p>
      {session !== undefined && <Session view={view} session={session} number={number} />}
    </section>
  );
}

interface SessionLinkProps {
  readonly number: number;
  readonly relation?: SessionView['relation'];
  readonly isCurrent?: boolean;
  readonly children: ComponentChildren;
}

/** Renders a link to a session of the instance. */
function SessionLink({ number, relation, isCurrent = false, children }: SessionLinkProps) {
  return (
    <ViewLink kind={relation} to={{ s: String(number), m: '' }} current={isCurrent && 'true'}>
      {children}
    </ViewLink>
  );
}

interface MessageLinkProps {
  readonly place: MessagePlace;
  readonly children: ComponentChildren;
}

/** Renders a link to a message of the instance, which marks it. */
export function MessageLink({ place, children }: MessageLinkProps) {
  return <ViewLink to={{ s: String(place.session + 1), m: String(place.message + 1) }}>{children}</ViewLink>;
}

interface SessionProps extends ViewProps {
  readonly session: SessionView;
  readonly number: number;
}

function Session({ view, session, number }: SessionProps) {
  const { address } = usePlace();
  const prior = view.instance.prior_interactions[number - 1];
  const persona = view.persona?.number;
  const path =
    persona === undefined || session.number === undefined
      ? undefined
      : `api/dialogue?persona=${persona}&session=${session.number}`;
  const { value: dialogue, error } = useAnswer<DialogueView>(path, 0);
  const markedMessage = useRef<HTMLLIElement>(null);
  const { m: message } = address;
  const isLoaded = path === undefined || dialogue !== undefined;
  // The answers of the dialogue add lines above the message.
  useEffect(() => {
    markedMessage.current?.focus({ preventScroll: true });
    markedMessage.current?.scrollIntoView({ block: 'start' });
  }, [number, message, isLoaded]);
  if (prior === undefined) return null;
  const hasMessage = message === undefined || prior.dialogue.some((_, at) => String(at + 1) === message);
  return (
    <>
      <h3>
        Session {number} of {view.sessions.length}{' '}
        <Badge kind={session.relation}>{RELATIONS[session.relation]}</Badge>
        {session.isSatisfied === false && <Badge kind="warning">never satisfied</Badge>}
      </h3>
      <Facts
        facts={[
          ['Context factor', prior.context_factor],
          ['Preference', prior.contextual_preference],
          ['Task', session.task],
        ]}
      />
      {session.checklist !== undefined && (
        <ol class="checklist">
          {session.checklist.map((item, at) => (
            <li key={at}>
              <Text text={item} /> <RaisedIn turns={dialogue?.turns} item={at + 1} />
            </li>
          ))}
        </ol>
      )}
      <FailedRequest error={error} />
      {!hasMessage && (
        <WrongLink
          text={`This link names message ${message}, and the session has ${formatCount(prior.dialogue.length, 'message')}.`}
          to={{ s: String(number), m: '' }}
          place={`Go on with session ${number}`}
        />
      )}
      <ol class="messages">
        {prior.dialogue.map(({ role, content }, at) => (
          <li
            key={`${number} ${at}`}
            class={role}
            {...(String(at + 1) === message && { ref: markedMessage, tabIndex: -1, 'aria-current': 'true' })}
          >
            <MessageHead view={view} number={number} at={at} role={role} turn={findTurn(dialogue, at)} />
            <LongText label={`Message ${at + 1}, ${role}`} text={content} mark={address['q']} />
            <MessageCalls turn={findTurn(dialogue, at)} role={role} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** Finds the turn of a message. After the opening message, each turn is the assistant's message and the user's reply. */
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
  const raisingTurns = (turns ?? []).filter(({ user }) => findUsed(user)?.raised?.includes(item) === true);
  if (raisingTurns.length === 0) return null;
  return <span class="facts">raised after turn {raisingTurns.map(({ turn }) => turn).join(', ')}</span>;
}

interface MessageProps extends ViewProps {
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
        <Badge kind={isSatisfied({ score: reply.score }) ? 'accepted' : 'score'}>
          score {reply.score}/10
        </Badge>
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

/** Renders a message's call as a line, which opens to all answers of the call. */
function MessageCalls({ turn, role }: Pick<MessageProps, 'turn' | 'role'>) {
  const attempts = (role === 'assistant' ? turn?.assistant : turn?.user) ?? [];
  const repairedCount = attempts.filter(({ verdict }) => verdict !== 'used').length;
  const usedAttempt = findUsed(attempts);
  if (usedAttempt === undefined) return null;
  return (
    <details class="calls">
      <summary>
        {repairedCount > 0 ? `${formatCount(repairedCount, 'repaired answer')}; ` : ''}
        <Text text={usedAttempt.model} />, {formatNumber(Math.round(usedAttempt.durationMs))} ms
        {usedAttempt.tokens.output === null ? '' : `, ${formatCount(usedAttempt.tokens.output, 'token')}`}
      </summary>
      <Attempts attempts={attempts} />
    </details>
  );
}
