import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fetchAnswer } from '../../parts/address';
import { Badge, Problem, Text } from '../../parts/text';
import { LABEL_TEXTS } from '../../../schemas/review/label-texts';
import type { Revision, ShownMessage } from '../../../schemas/review/review';
import type { SavedAnnotation, TaskView } from '../answers';
import {
  describeOthers,
  MESSAGES_TITLES,
  QUALIFICATION_TEXT,
  QUESTIONS,
  QUOTATIONS_TEXTS,
  RATING_SCALE,
  RATINGS,
  titleMessage,
} from '../form-texts';
import { removeDraft, useDraft } from './draft';

const LABELS = Object.entries(LABEL_TEXTS);

/**
 * Renders a task: the messages, and beside them its items, two ratings, and the rejection. The passages that a model quoted
 * are shown once all items have a label, so that they do not influence it.
 */
export function TaskForm({
  rater,
  view: { task, latestAnnotation, otherAnnotations },
  isQualified,
  onSaved,
}: {
  readonly rater: string;
  readonly view: TaskView;
  readonly isQualified: boolean;
  readonly onSaved: (saved: SavedAnnotation) => void;
}) {
  // The key contains the checklist, because another data set may have a task of the same name.
  const key = JSON.stringify(['draft', rater, task.task, task.checklist]);
  const { draft, change, isStored, isRestored, discard } = useDraft(key, {
    labels: task.checklist.map((_, at) => latestAnnotation?.labels[at]?.[0] ?? null),
    realism: latestAnnotation?.realism ?? null,
    implicitness: latestAnnotation?.implicitness ?? null,
    revisions: latestAnnotation?.revisions ?? [],
    isRejected: typeof latestAnnotation?.rejection === 'string',
    reason: latestAnnotation?.rejection ?? '',
  });
  const { labels, realism, implicitness, revisions, isRejected, reason } = draft;
  const [problem, setProblem] = useState<string>();
  // A change while a save is in flight would be removed with the draft.
  const [isSaving, setSaving] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // An inert form loses the focus.
  useLayoutEffect(() => {
    if (!isSaving && problem !== undefined) button.current?.focus();
  }, [isSaving]);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const isLabelled = labels.every((label) => label !== null);
  // The quotations that appear above the question with the focus move it.
  useLayoutEffect(() => {
    if (isLabelled) document.activeElement?.closest('fieldset')?.scrollIntoView({ block: 'nearest' });
  }, [isLabelled]);

  const save = async () => {
    const chosenLabels = labels.flatMap((label) => label ?? []);
    if (chosenLabels.length < task.checklist.length || realism === null || implicitness === null) {
      return setProblem('Choose a label for every item, and both ratings.');
    }
    if (revisions.some(({ new_text }) => new_text.trim() === '')) {
      return setProblem('The new text of a message is empty. Write it, or undo the edit.');
    }
    if (isRejected && reason.trim() === '') return setProblem('Say why it should be left out.');
    const rejection = isRejected ? reason.trim() : null;
    setSaving(true);
    setProblem(undefined);
    try {
      const scores = { realism, implicitness };
      const annotation = { task: task.task, rater, labels: chosenLabels, ...scores, revisions, rejection };
      const saved = await fetchAnswer<SavedAnnotation>('api/annotation', undefined, annotation);
      removeDraft(key);
      onSaved(saved);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setSaving(false);
    }
  };
  const question = QUESTIONS[task.kind];
  return (
    <section class="task">
      <div class="about">
        <h1 tabIndex={-1} ref={heading}>
          {question.title}
        </h1>
        {!isQualified && (
          <p class="notice">
            {QUALIFICATION_TEXT}{' '}
            {latestAnnotation !== null && 'At least one of your labels is wrong. Please check again.'}
          </p>
        )}
        {otherAnnotations.length > 1 && (
          <p class="notice">
            {otherAnnotations.map((annotation) => annotation.rater).join(' and ')} differ here. What you save
            decides alone.
          </p>
        )}
        {latestAnnotation !== null && isRestored && (
          <p class="notice">
            Unsaved changes are shown instead of your saved annotation.{' '}
            <button type="button" onClick={discard}>
              Discard the changes
            </button>
          </p>
        )}
        <p>{question.hint}</p>
      </div>
      <div class="judged" tabIndex={0} role="region" aria-label={MESSAGES_TITLES[task.kind]} inert={isSaving}>
        <h2>{MESSAGES_TITLES[task.kind]}</h2>
        {task.messages.map((message) => (
          <Message
            key={`${message.session} ${message.index}`}
            message={message}
            revisions={revisions}
            onChange={(changed) => change({ revisions: changed })}
          />
        ))}
      </div>
      <form
        inert={isSaving}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <ol class="items">
          {task.checklist.map((item, at) => (
            <li key={item}>
              <fieldset>
                <legend>
                  <Text text={item} />
                </legend>
                {LABELS.map(([label, text], number) => (
                  <span class="choice" key={label}>
                    <label>
                      <input
                        type="radio"
                        name={`item-${at}`}
                        checked={labels[at] === label}
                        onChange={() => change({ labels: labels.with(at, label) })}
                      />{' '}
                      {text}
                    </label>
                    <kbd aria-hidden="true">{number + 1}</kbd>
                  </span>
                ))}
                {otherAnnotations.map((annotation) => (
                  <span class="other" key={annotation.rater}>
                    {annotation.rater}:{' '}
                    {LABELS.find(([label]) => label === annotation.labels[at]?.[0])?.[1] ?? ''}
                  </span>
                ))}
                {new Set(otherAnnotations.map((annotation) => annotation.labels[at]?.[0])).size > 1 && (
                  <Badge kind="warning">they differ</Badge>
                )}
                {isLabelled && task.evidence !== null && <Quotations texts={task.evidence[at] ?? []} />}
              </fieldset>
            </li>
          ))}
        </ol>
        {/* It exists from the start, so that screen readers announce its change. */}
        {task.evidence !== null && (
          <p role="status">{isLabelled ? QUOTATIONS_TEXTS.shown : QUOTATIONS_TEXTS.hidden}</p>
        )}
        <Others lines={describeOthers(task, otherAnnotations)} />
        {(['realism', 'implicitness'] as const).map((name) => (
          <Scale
            key={name}
            name={name}
            text={RATINGS[name]}
            value={draft[name]}
            onChange={(value) => change({ [name]: value })}
          />
        ))}
        <p>
          <label>
            <input
              type="checkbox"
              checked={isRejected}
              onChange={(event) => change({ isRejected: event.currentTarget.checked })}
            />{' '}
            Leave out the instances that depend on this task
          </label>
        </p>
        {isRejected && (
          <p>
            <label class="reason">
              Why?{' '}
              <input
                type="text"
                value={reason}
                onInput={(event) => change({ reason: event.currentTarget.value })}
              />
            </label>
          </p>
        )}
        <Problem
          text={
            isStored
              ? undefined
              : 'The browser cannot store your unsaved changes. Save before you reload the page or open another task, or they are lost.'
          }
        />
        <Problem text={problem} />
        <p>
          <button type="submit" ref={button}>
            {isSaving ? 'Saving…' : 'Save and continue'}
          </button>
        </p>
      </form>
    </section>
  );
}

/** Renders the passages that a model quoted for an item. */
function Quotations({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return <p class="quoted">No passage was quoted.</p>;
  return (
    <>
      <p class="quoted">A model quoted:</p>
      {texts.map((text) => (
        <blockquote key={text}>
          <Text text={text} />
        </blockquote>
      ))}
    </>
  );
}

/** Renders for the third rater what the two others changed or rejected. */
function Others({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="others">
      {lines.map((line) => (
        <li key={line}>
          <Text text={line} />
        </li>
      ))}
    </ul>
  );
}

function Scale({
  name,
  text,
  value,
  onChange,
}: {
  readonly name: string;
  readonly text: string;
  readonly value: number | null;
  readonly onChange: (value: number) => void;
}) {
  return (
    <fieldset class="scale">
      <legend>
        {text} {RATING_SCALE}
      </legend>
      {[1, 2, 3, 4, 5, 6, 7].map((number) => (
        <label key={number}>
          <input type="radio" name={name} checked={value === number} onChange={() => onChange(number)} />{' '}
          {number}
        </label>
      ))}
    </fieldset>
  );
}

function Message({
  message,
  revisions,
  onChange,
}: {
  readonly message: ShownMessage;
  readonly revisions: readonly Revision[];
  readonly onChange: (revisions: readonly Revision[]) => void;
}) {
  const { opening, index, text } = message;
  const isOwn = (revision: Revision) => revision.opening === opening && revision.index === index;
  const revision = revisions.find(isOwn);
  const otherRevisions = revisions.filter((entry) => !isOwn(entry));
  const title = titleMessage(message);
  return (
    <article>
      <h3>{title}</h3>
      {revision === undefined ? (
        <>
          <p class="message">
            <Text text={text} />
          </p>
          <button
            type="button"
            onClick={() => onChange([...otherRevisions, { opening, index, old_text: text, new_text: text }])}
          >
            Edit {title.toLowerCase()}
          </button>
        </>
      ) : (
        <>
          <textarea
            ref={focusOn}
            aria-label={`${title}, revised`}
            value={revision.new_text}
            onInput={(event) =>
              onChange([...otherRevisions, { ...revision, new_text: event.currentTarget.value }])
            }
          />
          <button type="button" onClick={() => onChange(otherRevisions)}>
            Undo the edit
          </button>
        </>
      )}
    </article>
  );
}

/** Moves the focus to the text that is edited, because the button that had the focus is gone. */
function focusOn(element: HTMLElement | null): void {
  element?.focus();
}
