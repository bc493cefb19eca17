import { join } from 'node:path';

/** The folder of the files that the program reads when it runs: the project's own, or `dist/` once the program is bundled. */
export const PROGRAM_FOLDER = join(__dirname, '..');
