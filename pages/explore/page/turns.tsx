import type { DialogueView } from '../answers';
import { Attempts } from './attempts';

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
