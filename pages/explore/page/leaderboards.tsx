import type { Task } from '../../../schemas/evaluation/evaluation';
import { usePlace } from '../../parts/address';
import { Comparisons } from '../../parts/comparisons';
import { Text } from '../../parts/text';
import type { ComparisonView, Leaderboard } from '../answers';
import { LinkedTable } from './linked-table';
import { ListLink } from './list-link';

/** Renders the sentences that compare models, each with a link to the instances behind it. */
export function LinkedComparisons({ comparisons }: { readonly comparisons: readonly ComparisonView[] }) {
  return (
    <Comparisons
      comparisons={comparisons}
      renderText={({ text, link }) =>
        link === undefined ? (
          <Text text={text} />
        ) : (
          <ListLink to={link}>
            <Text text={text} />
          </ListLink>
        )
      }
    />
  );
}

/** Renders the leaderboards of one task, and a tab for each task if there are several. */
export function Leaderboards({ boards }: { readonly boards: readonly Leaderboard[] }) {
  const { address, navigate } = usePlace();
  const tasks = [...new Set(boards.map(({ task }) => task))];
  const chosenTask = tasks.find((task) => task === address['board']) ?? tasks[0];
  const choose = (task: Task | undefined) => {
    if (task === undefined) return;
    navigate({ board: task === tasks[0] ? '' : task }, 'replace');
    document.getElementById(nameTab(task))?.focus();
  };
  const move = (event: KeyboardEvent, at: number) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(tasks.at(to === tasks.length ? 0 : to));
  };
  if (chosenTask === undefined) return null;
  const shownBoards = boards.filter(({ task }) => task === chosenTask);
  if (tasks.length < 2) return <Boards boards={shownBoards} />;
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Tasks">
        {tasks.map((task, at) => (
          <button
            key={task}
            type="button"
            role="tab"
            id={nameTab(task)}
            aria-selected={task === chosenTask}
            aria-controls="board"
            tabIndex={task === chosenTask ? 0 : -1}
            onClick={() => choose(task)}
            onKeyDown={(event) => move(event, at)}
          >
            {TITLES[task]}
          </button>
        ))}
      </div>
      <div id="board" role="tabpanel" aria-labelledby={nameTab(chosenTask)}>
        <Boards boards={shownBoards} />
      </div>
    </>
  );
}

function nameTab(task: Task): string {
  return `tab-${task}`;
}

const TITLES: Readonly<Record<Task, string>> = {
  inference: 'Inference',
  generation: 'Generation',
  choice: 'Choice',
};

function Boards({ boards }: { readonly boards: readonly Leaderboard[] }) {
  return boards.map(({ task, table, details }) => (
    <div key={table.title}>
      <LinkedTable table={table} areCards />
      <details>
        <summary>
          {task === 'inference' ? 'By instance type, with precision and recall' : 'By instance type'}
        </summary>
        {details.map((detail, at) => (
          <LinkedTable key={at} table={detail} />
        ))}
      </details>
    </div>
  ));
}
