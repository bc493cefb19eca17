#!/usr/bin/env node
/* Starts the command that `npm run build` made, or says in one sentence why it cannot. Also runs on versions of Node.js that are too old. */
const { existsSync } = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');

const root = path.join(__dirname, '..');
const command = path.join(root, 'dist', 'cli', 'main.js');
const problem = findProblem();
if (problem === undefined) {
  void import(pathToFileURL(command).href);
} else {
  process.stderr.write(`cupid: ${problem}\n`);
  process.exitCode = 1;
}

function findProblem() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    return `Node.js ${process.versions.node} is too old. Install Node.js 22, 24 or 26 (20.19 is the oldest that works).`;
  }
  if (!existsSync(command))
    return `The program in ${root} is not built. Run there: npm ci --include=dev && npm run build`;
  return undefined;
}
