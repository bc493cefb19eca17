import { join } from 'node:path';
import { PROGRAM_FOLDER } from '../../program-folder';

/** The file that a thread runs. Tests replace this module, since theirs is not bundled. */
export const THREAD_FILE = join(PROGRAM_FOLDER, 'cli', 'read-table.js');
