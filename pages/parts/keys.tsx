import type { RefObject } from 'preact';

/** Keys of a page, with their meanings. */
export type KeyMeanings = readonly (readonly [keys: string, meaning: string])[];

/** Renders the list of a page's keys as a dialog. */
export function KeyHelp({
  keys,
  dialog,
}: {
  readonly keys: KeyMeanings;
  readonly dialog: RefObject<HTMLDialogElement | null>;
}) {
  return (
    <dialog ref={dialog} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keys.map(([key, meaning]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <button>Close</button>
      </form>
    </dialog>
  );
}
