import type { AttemptView, DialogueView } from '../answers';
import { formatNumber } from '../../../schemas/text/count-text';
import { Badge, LongText, Paragraph, Text } from '../../parts/text';

const VERDICTS = {
  used: { kind: 'accepted', name: 'counts' },
  bad: { kind: 'rejected', name: 'bad answer' },
  superseded: { kind: 'warning', name: 'superseded by a retry' },
} as const;

/** Renders every answer to a call, and its problem. */
export function Attempts({ attempts }: { readonly attempts: readonly AttemptView[] }) {
  return (
    <ol class="attempts">
      {attempts.map(({ verdict, problem, text, model, durationMs }, at) => (
        <li key={at}>
          <p class="head">
            <Badge kind={VERDICTS[verdict].kind}>{VERDICTS[verdict].name}</Badge>{' '}
            <span class="facts">
              <Text text={model} />, {formatNumber(Math.round(durationMs))} ms
            </span>
          </p>
          {problem !== undefined && <Paragraph kind="problem" text={problem} />}
          <LongText label={`Answer ${at + 1}`} text={text} />
        </li>
      ))}
    </ol>
  );
}

/** Renders every answer of a dialogue, turn by turn. */
export function Turns({ dialogue }: { readonly dialogue: DialogueView | undefined }) {
  return (
    <>
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
