import { answerFrom, askServer } from '../../parts/address';
import { SNAPSHOT_HEADER } from '../answers';
import { renderExplorer } from './explore';

// The page that the command serves.

/** The snapshot that the server showed when the page was opened. */
let opening: Promise<{ readonly name: string }> | undefined;

// Every request names it, so that no answer is of another state.
answerFrom(async (path, signal, payload) => {
  opening ??= askServer('api/snapshot');
  // A request that failed is made again.
  opening.catch(() => (opening = undefined));
  const { name } = await opening;
  return askServer(path, signal, payload, { [SNAPSHOT_HEADER]: name });
});
renderExplorer();
