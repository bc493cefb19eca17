import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Address, fetchAnswer, ViewLink } from '../../parts/address';
import { Problem } from '../../parts/text';

interface FailedRequestProps {
  readonly error: string | undefined;
  /** A way back, if there is one. */
  readonly children?: ComponentChildren;
}

/** Renders why a request failed, and the ways on. Renders nothing without an error. */
export function FailedRequest({ error, children }: FailedRequestProps) {
  if (error === undefined) return null;
  return (
    <>
      <Problem text={error} />
      <p>
        {children}{' '}
        <button type="button" onClick={() => location.reload()}>
          Try again
        </button>
      </p>
    </>
  );
}

interface WrongLinkProps {
  /** Says what the link names that does not exist. */
  readonly text: string;
  /** Changes to the address that lead back. */
  readonly to: Address;
  /** Name of the place that they lead to. */
  readonly place: string;
}

/** Renders that a link leads to nothing, and the way back. */
export function WrongLink({ text, to, place }: WrongLinkProps) {
  return (
    <>
      <Problem text={text} />
      <p>
        <ViewLink to={to}>{place}</ViewLink>
      </p>
    </>
  );
}

/** Renders that the files have changed, with the button that reloads everything. */
export function ChangedFiles() {
  const [isOpening, setOpening] = useState(false);
  const [error, setError] = useState<string>();
  const showNewState = async () => {
    setOpening(true);
    try {
      await fetchAnswer('api/snapshot', undefined, {});
      location.reload();
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
      setOpening(false);
    }
  };
  return (
    <div class="changed" role="status">
      The files have changed since this page was opened.{' '}
      <button type="button" disabled={isOpening} onClick={() => void showNewState()}>
        {isOpening ? 'Reading…' : 'Show the new state'}
      </button>
      <Problem text={error} />
    </div>
  );
}
