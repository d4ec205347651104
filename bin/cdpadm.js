#!/usr/bin/env node
// The program's start, as little as can be: answers `--version` without loading anything, else hands over to the bundle.
// CommonJS, and in the language of old Nodes, so that it starts quickly and can tell an old Node what is wrong.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

/**
 * Writes at once: opening `process.stdout` costs milliseconds. A reader that has gone away is no error.
 * @param {1 | 2} fd
 * @param {string} text
 */
function write(fd, text) {
  try {
    fs.writeSync(fd, text + '\n');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error;
  }
}

/** Whether this Node is older than the oldest one that package.json allows. */
function isOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

/** @param {string} text */
function fail(text) {
  write(2, text);
  process.exitCode = 1;
}

function start() {
  const [first, second] = process.argv.slice(2);
  if ((first === '--version' || first === '-V') && second === undefined) {
    /** @type {{version: string}} */
    const { version } = require('../package.json');
    write(1, version);
    return;
  }
  if (isOldNode()) {
    fail('cdpadm needs Node.js 20.19 or newer, and this is ' + process.versions.node + '. Install a newer Node.js.');
    return;
  }
  const root = path.join(__dirname, '..');
  const bundle = path.join(root, 'dist', 'main.js');
  if (!fs.existsSync(bundle)) {
    fail('cdpadm is not built yet. Run `npm run build` in ' + root + ', then try again.');
    return;
  }
  /** @type {{main: () => Promise<void>}} */
  const { main } = require(bundle);
  void main();
}

start();
