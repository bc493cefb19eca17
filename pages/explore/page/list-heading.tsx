import { useEffect, useMemo, useRef } from 'preact/hooks';
import { clear, getFilter, getQuery, usePlace } from '../../parts/address';
import { Paragraph, Text, writeOutControls } from '../../parts/text';
import type { Exploration, InstancePage } from '../answers';
import { describeInstances, describeScores, listChips } from '../worded-filter';

interface ListHeadingProps extends Pick<Exploration, 'columns'> {
  readonly page: InstancePage | undefined;
  /** True if the list is the main part of the page. */
  readonly isMain: boolean;
}

/** Renders what is listed in a sentence, and a chip for each part of the filter that removes it. */
export function ListHeading({ columns, page, isMain }: ListHeadingProps) {
  const { address, navigate } = usePlace();
  const heading = useRef<HTMLHeadingElement>(null);
  const query = getQuery(address);
  const chips = listChips(query, columns);
  const setting = describeScores(query, columns);
  const isThere = page !== undefined;
  const place = JSON.stringify(query);
  // A link that led here is gone, and so is the focus. An input keeps it.
  useEffect(() => {
    if (isMain && isThere && document.activeElement === document.body) heading.current?.focus();
  }, [isMain, isThere, place]);
  // The sentence belongs to the list that is shown: while the next one loads, its filter does not describe this number.
  const sentence = useMemo(() => page && describeInstances(page.matching, query, columns), [page, columns]);
  if (sentence === undefined || (!isMain && chips.length === 0)) return null;
  const Heading = isMain ? 'h1' : 'h2';
  return (
    <div class="list-heading">
      <Heading ref={heading} tabIndex={-1}>
        <Text text={sentence} />
      </Heading>
      {setting !== undefined && <Paragraph kind="facts" text={setting} />}
      {chips.length > 0 && (
        <ul class="chips" aria-label="Filters">
          {chips.map(({ text, remove }) => (
            <li key={text}>
              <button
                type="button"
                class="chip"
                aria-label={`Remove: ${writeOutControls(text)}`}
                onClick={() => {
                  heading.current?.focus();
                  navigate(remove);
                }}
              >
                <Text text={text} />
              </button>
            </li>
          ))}
          {chips.length > 1 && (
            <li>
              <button
                type="button"
                onClick={() => {
                  heading.current?.focus();
                  navigate({ ...clear(getFilter(address)), from: '0' });
                }}
              >
                Clear all filters
              </button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
