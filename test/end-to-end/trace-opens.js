'use strict';

/**
 * Loaded before the command (`node --require`), records every path in a folder that the process opens, lists, replaces or removes. The
 * program itself knows nothing of this.
 *
 * CUPID_TRACE_FOLDER: the folder. CUPID_TRACE_LOG: the file that receives a line for each path below it. The line has three parts between
 * tabs: the function that opens it, with the flags of an open; the path; the place in the program that asks for it, and that place's user.
 */
const { isMainThread } = require('node:worker_threads');
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { sep } = require('node:path');

Error.stackTraceLimit = 30;

/**
 * Finds the place that opens a file itself or through `data/store/own-file.ts`, and its user: the nearest function outside `data/store/`.
 */
function findCallers() {
  const frames = String(new Error().stack).split('\n').slice(1);
  const find = (passed) => frames.find((frame) => !passed.test(frame))?.trim() ?? '';
  const place = find(/node:|\/own-file\.|\/trace-opens\.js/);
  const user = find(/node:|\/data\/store\/|\/trace-opens\.js/);
  return place === user ? place : `${place} < ${user.replace(/:\d+:\d+/, '')}`;
}

if (isMainThread) {
  const append = fs.appendFileSync;
  const recorded = (way, path) => {
    // The process that carries out commands gets its variables with each command.
    const { CUPID_TRACE_FOLDER: folder, CUPID_TRACE_LOG: log } = process.env;
    if (folder === undefined || log === undefined) return;
    const name = String(path);
    if (name.startsWith(folder + sep))
      append(log, `${way}\t${name.slice(folder.length + 1)}\t${findCallers()}\n`);
  };
  const record = (owner, name, arguments_) => {
    const act = owner[name].bind(owner);
    owner[name] = (...args) => {
      const way = /^open(?:Sync)?$/.test(name) ? `${name} ${args[1]}` : name;
      for (const at of arguments_) recorded(way, args[at]);
      return act(...args);
    };
  };
  for (const name of ['open', 'readFile', 'readdir', 'opendir', 'mkdir', 'rm', 'unlink', 'truncate']) {
    record(fs.promises, name, [0]);
    record(fs, `${name}Sync`, [0]);
  }
  for (const name of ['rename', 'link', 'copyFile']) {
    record(fs.promises, name, [0, 1]);
    record(fs, `${name}Sync`, [0, 1]);
  }
  for (const name of ['writeFile', 'appendFile']) record(fs.promises, name, [0]);
  for (const name of ['createReadStream', 'createWriteStream', 'writeFileSync', 'openAsBlob'])
    record(fs, name, [0]);
  // The program is made of ES modules, which have names of their own for these functions.
  syncBuiltinESMExports();
}
