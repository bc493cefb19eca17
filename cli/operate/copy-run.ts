import { formatCount } from '../../schemas/text/count-text';
import { pullRun, pushRun } from '../../runs/folder/copy-run';
import { quotePath } from '../../schemas/text/shell-text';
import { EXIT } from '../exit';
import { print, printMessage } from '../output';
import { createCountProgress } from '../progress-lines';

/** Runs 'cupid pull': copies a run from object storage into a folder. Returns the exit code. */
export async function pull(location: string, folder: string): Promise<number> {
  const { id, files, inProgress } = await pullRun(location, folder, createCountProgress('Copying', 'files'));
  if (inProgress) {
    printMessage(
      `The run was in progress while it was copied. ${folder} is a read-only copy of that state: commands that would continue the run there are rejected, because they would pay for its calls again. Once the run has finished, repeat this command for a complete copy.`,
    );
  }
  print(
    `Run ${id} is in ${folder} (${formatCount(files, 'file')}). Show its status: cupid status ${quotePath(folder)}`,
  );
  return EXIT.done;
}

/** Runs 'cupid push': copies a folder's run to object storage, where it is continued. Returns the exit code. */
export async function push(folder: string, location: string): Promise<number> {
  const { id, files } = await pushRun(folder, location, createCountProgress('Copying', 'files'));
  print(
    `Run ${id} is stored at ${location} (${formatCount(files, 'file')}). From now on, commands on ${folder} use it there.`,
  );
  return EXIT.done;
}
