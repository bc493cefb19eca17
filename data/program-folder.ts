import { join } from 'node:path';

/** Folder of the files that the program reads at run time: the project's root, or `dist/` in the bundled program. */
export const PROGRAM_FOLDER = join(__dirname, '..');
