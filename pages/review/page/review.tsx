import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchAnswer, useAddress, useAnswer, type Navigate } from '../../parts/address';
import { formatNumber } from '../../../schemas/text/count-text';
import { Badge, Text, Waiting, writeOutControls } from '../../parts/text';
import type { ListedTasks, ReviewAbout, ReviewProgress, TaskView } from '../answers';
import { TaskForm } from './task-form';

function Review() {
  const [address, navigate] = useAddress();
  const [version, setVersion] = useState(0);
  const [isFinished, setFinished] = useState(false);
  const { value: review, error } = useAnswer<ReviewAbout>('/api/about', version);
  const rater = address['rater'];
  // Other raters work at the same time, so the progress is polled.
  useEffect(() => {
    if (isFinished) return undefined;
    const timer = setInterval(() => setVersion((known) => known + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isFinished]);
  useEffect(() => {
    document.title = rater === undefined ? 'cupid review' : `${writeOutControls(rater)} – cupid review`;
  }, [rater]);
  if (isFinished) {
    return (
      <main class="choose">
        <h1>The review is finished</h1>
        <p>All tasks are decided, and the data set is being written. You can close this page.</p>
      </main>
    );
  }
  if (review === undefined) {
    return (
      <main>
        <Waiting error={error} />
      </main>
    );
  }
  const people = [...review.raters, ...(review.third === null ? [] : [review.third])];
  return (
    <>
      <header>
        <p class="name">
          <strong>cupid review</strong> <Text text={review.source} />
          {review.simulated && <Badge kind="warning">simulated</Badge>}
        </p>
        <Progress review={review} />
      </header>
      {rater !== undefined && people.includes(rater) ? (
        <Rating
          rater={rater}
          review={review}
          address={address}
          {...{ navigate, version }}
          onSaved={({ decided, tasks }) => {
            if (decided === tasks) setFinished(true);
            else setVersion((known) => known + 1);
          }}
        />
      ) : (
        <main class="choose">
          <h1>Who are you?</h1>
          <ul>
            {people.map((name) => (
              <li key={name}>
                <button type="button" onClick={() => navigate({ rater: name })}>
                  {name}
                </button>
                {name === review.third && ' decides where the two others differ'}
              </li>
            ))}
          </ul>
        </main>
      )}
    </>
  );
}

/** Milliseconds between two polls of the progress. */
const REFRESH_MS = 5_000;

function Progress({ review: { progress } }: { readonly review: ReviewAbout }) {
  const alpha = progress.agreement.ordinal;
  return (
    <p class="progress" role="status">
      {formatNumber(progress.decided)} of {formatNumber(progress.tasks)} tasks decided
      {progress.disputed > 0 && `, ${formatNumber(progress.disputed)} for the third rater`}. Agreement
      (alpha): {alpha === null ? 'not defined yet' : alpha.toFixed(3)}.
    </p>
  );
}

function Rating({
  rater,
  review,
  address,
  navigate,
  version,
  onSaved,
}: {
  readonly rater: string;
  readonly review: ReviewAbout;
  readonly address: Readonly<Record<string, string>>;
  readonly navigate: Navigate;
  readonly version: number;
  readonly onSaved: (progress: ReviewProgress) => void;
}) {
  // The list as loaded before the latest annotation: it cannot name the next task.
  const [stale, setStale] = useState<ListedTasks>();
  const query = new URLSearchParams({ rater }).toString();
  const { value: listed, error: listError } = useAnswer<ListedTasks>(`/api/tasks?${query}`, version);
  const latest = useRef(listed);
  latest.current = listed;
  const linked = address['task'];
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
                <Text text={task} />
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
            {rater === review.third
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
          onSaved={(progress) => {
            setStale(latest.current);
            navigate({ task: '' });
            onSaved(progress);
          }}
        />
      )}
    </main>
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
  readonly onSaved: (progress: ReviewProgress) => void;
}) {
  const query = new URLSearchParams({ rater, task }).toString();
  const { value: view, error } = useAnswer<TaskView>(`/api/task?${query}`, 0);
  if (view === undefined || error !== undefined) return <Waiting error={error} />;
  return (
    <TaskForm rater={rater} view={view} isQualified={isQualified} onSaved={onSaved} send={sendAnnotation} />
  );
}

async function sendAnnotation(annotation: object): Promise<ReviewProgress> {
  return fetchAnswer<ReviewProgress>('/api/annotation', undefined, annotation);
}

const page = document.querySelector('#page');
if (page !== null) render(<Review />, page);
