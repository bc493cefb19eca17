import { formatCount } from '../../formatting/count-text';
import { pullRun, pushRun } from '../../runs/folder/copy-run';
import { quoteArgument } from '../command-line';
import { COMMAND, EXIT } from '../exit';
import { print, printMessage } from '../output';
import { createCountProgress } from '../terminal/count-progress';

/** `cupid pull`: copies a run from object storage into a folder. Returns the exit code. */
export async function pull(location: string, folder: string): Promise<number> {
  const { id, files, inProgress } = await pullRun(location, folder, createCountProgress('Copying', 'files'));
  if (inProgress) {
    printMessage(
      `The run is in progress. ${folder} is a copy of this moment, for looking at it: commands that would continue it there are rejected, because its calls would be paid for twice.`,
    );
  }
  print(
    `Run ${id} is in ${folder} (${formatCount(files, 'file')}). Look at it: ${COMMAND} status ${quoteArgument(folder)}`,
  );
  return EXIT.done;
}

/** `cupid push`: copies a folder's run to object storage, where it is continued. Returns the exit code. */
export async function push(folder: string, location: string): Promise<number> {
  const { id, files } = await pushRun(folder, location, createCountProgress('Copying', 'files'));
  print(
    `Run ${id} is stored at ${location} (${formatCount(files, 'file')}). Commands on ${folder} use it there from now on.`,
  );
  return EXIT.done;
}
