import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { answerFrom, askServer, type Navigate, useAddress, useAnswer } from '../../parts/address';
import { KeyHelp } from '../../parts/keys';
import { ProxyError } from '../../parts/server-answer';
import { formatNumber } from '../../../schemas/text/count-text';
import { Badge, Name, Problem, Text, Waiting, writeOutControls } from '../../parts/text';
import type { ListedTasks, ReviewAbout, SavedAnnotation, TaskView } from '../answers';
import { isLatestChangeStored } from './draft';
import { handleKey, KEYS } from './keyboard';
import { TaskForm } from './task-form';

function Review() {
  const [address, navigate] = useAddress();
  const [saves, setSaves] = useState(0);
  const [isFinished, setFinished] = useState(false);
  // Another link may be opened in this browser.
  const { value: raterInfo, error } = useAnswer<ReviewAbout>(
    isFinished ? undefined : 'api/about',
    saves,
    POLL_MS,
  );
  const help = useRef<HTMLDialogElement>(null);
  const rater = raterInfo?.rater;
  useEffect(() => {
    document.title = rater === undefined ? 'cupid review' : `${writeOutControls(rater)} – cupid review`;
  }, [rater]);
  // A layout effect takes effect at once: the next key must refer to what is shown.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => handleKey(event, help.current);
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  if (isFinished) {
    return (
      <main class="single">
        <h1>The review is finished</h1>
        <p>All tasks are decided, and the data set is being written. You can close this page.</p>
      </main>
    );
  }
  if (raterInfo === undefined) {
    return (
      <main class="single">
        <Waiting error={error} />
      </main>
    );
  }
  return (
    <>
      <header>
        <p class="name">
          <strong>cupid review</strong> <Text text={raterInfo.rater} />
          {raterInfo.simulated && <Badge kind="warning">simulated</Badge>}
        </p>
        <button type="button" onClick={() => help.current?.showModal()}>
          Keys
        </button>
      </header>
      <Rating
        key={raterInfo.rater}
        about={raterInfo}
        linked={address['task']}
        {...{ navigate, saves, error }}
        onSaved={(saved) => {
          if (saved.isFinished) setFinished(true);
          else setSaves((count) => count + 1);
        }}
      />
      <KeyHelp keys={KEYS} dialog={help} />
    </>
  );
}

/** Milliseconds from an answer to the next poll. */
const POLL_MS = 5_000;

function Rating({
  about: { rater, isThird },
  linked,
  navigate,
  saves,
  error,
  onSaved,
}: {
  readonly about: ReviewAbout;
  /** The task that the address names. */
  readonly linked: string | undefined;
  readonly navigate: Navigate;
  /** Number of annotations that this page has saved. */
  readonly saves: number;
  /** Why the latest poll failed. */
  readonly error: string | undefined;
  readonly onSaved: (saved: SavedAnnotation) => void;
}) {
  // The list as loaded before the latest annotation: it cannot name the next task.
  const [stale, setStale] = useState<ListedTasks>();
  // The list of the third rater grows while the others work.
  const { value: listed, error: listError } = useAnswer<ListedTasks>('api/tasks', saves, POLL_MS);
  const latest = useRef(listed);
  latest.current = listed;
  // Until the qualification is passed, the list has only its tasks.
  const isTooEarly = listed?.isQualified === false && listed.tasks.every(({ task }) => task !== linked);
  const chosen =
    (isTooEarly ? undefined : linked) ??
    (listed === stale ? undefined : listed?.tasks.find(({ isDone }) => !isDone)?.task);
  // The address keeps the task while its rater works on it, because the list may soon begin with another.
  useEffect(() => {
    if (chosen !== undefined) navigate({ task: chosen }, 'replace');
  }, [chosen]);
  if (listed === undefined) return <Waiting error={listError} />;
  return (
    <>
      <Problem text={error ?? listError} />
      <main class="rating">
        <nav aria-label="Tasks">
          <p>
            {rater}: {formatNumber(listed.done)} of {formatNumber(listed.all)}{' '}
            {listed.isQualified ? 'tasks' : 'tasks of the qualification'}
          </p>
          <ol>
            {listed.tasks.map(({ task, isDone }) => (
              <li key={task}>
                <button
                  type="button"
                  aria-current={task === chosen ? 'true' : undefined}
                  onClick={() => navigate({ task })}
                >
                  {isDone ? '✓ ' : ''}
                  <Name text={task} />
                </button>
              </li>
            ))}
          </ol>
        </nav>
        {listed === stale ? (
          <p role="status">Saved.</p>
        ) : chosen === undefined ? (
          <section class="task">
            <h1>{listed.all === 0 ? 'Nothing to decide yet' : 'All tasks are done'}</h1>
            <p>
              {isThird
                ? 'This list has the tasks in which the two raters differ. It grows while they work.'
                : 'Thank you. You can change an annotation as long as the review is open.'}
            </p>
          </section>
        ) : (
          <Task
            key={chosen}
            rater={rater}
            task={chosen}
            isQualified={listed.isQualified}
            onSaved={(saved) => {
              setStale(latest.current);
              navigate({ task: '' });
              onSaved(saved);
            }}
          />
        )}
      </main>
    </>
  );
}

function Task({
  rater,
  task,
  isQualified,
  onSaved,
}: {
  readonly rater: string;
  readonly task: string;
  readonly isQualified: boolean;
  readonly onSaved: (saved: SavedAnnotation) => void;
}) {
  const query = new URLSearchParams({ task }).toString();
  const [attempts, setAttempts] = useState(0);
  const { value: view, error } = useAnswer<TaskView>(`api/task?${query}`, attempts);
  if (view === undefined) {
    return (
      <section class="task">
        <h1>
          <Name text={task} />
        </h1>
        <Waiting error={error} />
        {error !== undefined && (
          <button type="button" onClick={() => setAttempts((count) => count + 1)}>
            Try again
          </button>
        )}
      </section>
    );
  }
  return <TaskForm rater={rater} view={view} isQualified={isQualified} onSaved={onSaved} />;
}

// A rater who is told to reload the page may fear for the entries.
answerFrom(async (...request) => {
  try {
    return await askServer(...request);
  } catch (error) {
    if (!(error instanceof ProxyError) || !isLatestChangeStored()) throw error;
    throw new ProxyError(`${error.message} Unsaved changes are kept.`, { cause: error });
  }
});

const page = document.querySelector('#page');
if (page !== null) render(<Review />, page);
