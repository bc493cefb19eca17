'use strict';

/**
 * Numbers every write, append, copy, fsync, rename, link and removal of the command in the run's folder. Kills the process before or after
 * one of them. It is loaded before the command (`node --require`), so the program knows nothing of it.
 *
 * CUPID_CRASH_FOLDER: the run's folder. CUPID_CRASH_AT: the number, such as `17:before`; absent to count only. CUPID_CRASH_LOG: the file
 * for the operation at that point, or for the number of operations.
 */
const { isMainThread } = require('node:worker_threads');
const { writeFileSync } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { sep } = require('node:path');
const files = require('node:fs/promises');

const { CUPID_CRASH_FOLDER: folder, CUPID_CRASH_AT: at = '', CUPID_CRASH_LOG: log } = process.env;

if (isMainThread && folder !== undefined && log !== undefined) {
  const [number, when] = at.split(':');
  const engine = `${folder}${sep}.cupid${sep}engine`;
  const counts = (path) => String(path).startsWith(folder) && !String(path).startsWith(engine);
  let done = 0;

  const die = (what) => {
    writeFileSync(log, what);
    process.kill(process.pid, 'SIGKILL');
    // Nothing more is done while the signal is on its way.
    for (;;);
  };

  const numbered = async (name, path, act) => {
    if (!counts(path)) return act();
    done += 1;
    const own = done;
    const what = `${own} ${when} ${name} ${String(path).slice(folder.length)}`;
    if (own === Number(number) && when === 'before') die(what);
    const result = await act();
    if (own === Number(number) && when === 'after') die(what);
    return result;
  };

  // The target of a rename or link says more than its source.
  for (const [name, argument] of [
    ['rename', 1],
    ['link', 1],
    ['writeFile', 0],
    ['rm', 0],
    ['unlink', 0],
  ]) {
    const act = files[name].bind(files);
    files[name] = (...args) => numbered(name, args[argument], () => act(...args));
  }
  const open = files.open.bind(files);
  files.open = async (path, ...rest) => {
    const handle = await open(path, ...rest);
    for (const name of ['writeFile', 'appendFile', 'sync']) {
      const act = handle[name].bind(handle);
      handle[name] = (...args) => numbered(name, path, () => act(...args));
    }
    return handle;
  };
  // The program is made of ES modules, which have names of their own for these functions.
  syncBuiltinESMExports();
  process.on('exit', () => writeFileSync(log, String(done)));
}
