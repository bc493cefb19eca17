import type { DialogueView, UnfinishedView } from '../answers';
import { formatCount } from '../../../schemas/text/count-text';
import { useAnswer, usePlace, ViewLink } from '../../parts/address';
import { Turns } from './attempts';
import { FailedRequest, WrongLink } from './problems';

/** Renders the personas that the run has begun, and the turns so far of a chosen dialogue. */
export function Unfinished({
  isLive,
}: {
  /** True while the run may add turns. */ readonly isLive: boolean;
}) {
  const pollMs = isLive ? POLL_MS : undefined;
  const { value: personas, error } = useAnswer<readonly UnfinishedView[]>('api/unfinished', 0, pollMs);
  const { work } = usePlace().address;
  const [persona, session] = (work ?? '').split('/s').map(Number);
  const path = work === undefined ? undefined : `api/dialogue?persona=${persona}&session=${session}`;
  const { value: dialogue, error: dialogueError } = useAnswer<DialogueView>(path, 0, pollMs);
  return (
    <>
      <h1>Unfinished personas</h1>
      <FailedRequest error={error ?? dialogueError} />
      {personas !== undefined && work !== undefined && !personas.some((item) => item.persona === persona) && (
        <WrongLink
          text={`${work} is not among the unfinished personas. It may have finished since.`}
          to={{ work: '' }}
          place="Show all unfinished personas"
        />
      )}
      {personas?.length === 0 && <p>Every persona that was begun is finished.</p>}
      <ol class="failures">
        {personas?.map((item) => (
          <li key={item.persona}>
            <h2>
              Persona {item.persona} <span class="facts">{formatCount(item.calls, 'answered call')}</span>
            </h2>
            {item.sessions.length === 0 ? (
              <p>Its dialogues have not begun.</p>
            ) : (
              <ul>
                {item.sessions.map(({ session: number, turns }) => {
                  const name = `${item.persona}/s${number}`;
                  return (
                    <li key={number}>
                      <ViewLink to={{ work: name === work ? '' : name }} current={name === work && 'true'}>
                        Session {number}
                      </ViewLink>{' '}
                      <span class="facts">{formatCount(turns, 'turn')}</span>
                    </li>
                  );
                })}
              </ul>
            )}
            {item.persona === persona && <Turns dialogue={dialogue} />}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Milliseconds after which there may be new turns. */
const POLL_MS = 2_000;
