/**
 * Carries out one command of `cupid` after another in one process: node command-process.js COMMAND-FILE
 * Each is done when the process would have ended by itself: when nothing is left that could still happen.
 */
const { pathToFileURL } = require('node:url');

const [, , file] = process.argv;
let number = 0;

let carryingOut = false;
let said = { stdout: '', stderr: '' };

process.on('message', ({ args, environment }) => {
  carryingOut = true;
  said = { stdout: '', stderr: '' };
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  process.argv = [process.execPath, file, ...args];
  process.exitCode = undefined;
  process.channel.unref();
  // The command is what happens when its file is loaded, which another query does again; everything that file needs stays loaded.
  number += 1;
  void import(`${pathToFileURL(file).href}?${number}`);
});

process.on('disconnect', () => process.exit());

process.on('beforeExit', (code) => {
  if (!carryingOut) return;
  carryingOut = false;
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtExceptionMonitor'])
    process.removeAllListeners(event);
  process.channel.ref();
  process.send({ code, ...said });
});

for (const name of ['stdout', 'stderr']) {
  process[name].write = (text) => {
    said[name] += String(text);
    return true;
  };
}
