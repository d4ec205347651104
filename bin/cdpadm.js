#!/usr/bin/env node
// Starts the program: prints `--version` and `--help` without loading the bundle, and runs the bundle for everything
// else. This file is CommonJS in old syntax, so that it starts quickly and can report an unsupported Node.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');

/**
 * Writes synchronously, because opening `process.stdout` takes milliseconds. A closed reader is not an error.
 * @param {1 | 2} fd
 * @param {string} text
 */
function write(fd, text) {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(fs.writeSync(fd, rest));
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    // The pipe is full: let the stream wait for it.
    if (code === 'EAGAIN') (fd === 1 ? process.stdout : process.stderr).write(rest);
    else if (code !== 'EPIPE') process.exitCode = 1;
  }
}

/** Returns true if this version of Node is older than package.json requires. */
function isOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

/** @param {string} text */
function fail(text) {
  write(2, text + '\n');
  process.exitCode = 1;
}

/**
 * Returns the width of the output, as `src/lib/runtime/io.ts` does. If no descriptor is a terminal, this usually does
 * not load anything.
 */
function columns() {
  const streams = /** @type {const} */ ([
    [1, 'stdout'],
    [2, 'stderr'],
  ]);
  for (const [fd, name] of streams) {
    try {
      if (fs.fstatSync(fd).isCharacterDevice() && require('node:tty').isatty(fd)) {
        return process[name].columns || Number(process.env.COLUMNS) || 80;
      }
    } catch {
      // The descriptor is closed.
    }
  }
  return Number(process.env.COLUMNS) || 80;
}

/**
 * Returns the prebuilt help screen for a command line that only requests help (`roles push --help`), if there is one
 * for this width. No screen is wider than 100 columns.
 * @param {string[]} args
 * @returns {string | undefined}
 */
function readyHelp(args) {
  const last = args[args.length - 1];
  const words = args.slice(0, -1);
  if ((last !== '--help' && last !== '-h') || !words.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  const width = Math.min(columns(), 100);
  /** @type {string} */
  let screens;
  try {
    screens = fs.readFileSync(path.join(root, 'dist', 'help-' + String(width) + '.txt'), 'utf8');
  } catch {
    return undefined;
  }
  const heading = '\f' + words.join(' ') + '\n';
  const begin = screens.indexOf(heading);
  if (begin === -1) return undefined;
  const end = screens.indexOf('\f', begin + 1);
  return screens.slice(begin + heading.length, end);
}

function start() {
  const [first, second] = process.argv.slice(2);
  if ((first === '--version' || first === '-V') && second === undefined) {
    /** @type {{version: string}} */
    const { version } = require('../package.json');
    write(1, version + '\n');
    return;
  }
  if (isOldNode()) {
    fail('cdpadm needs Node.js 20.19 or newer, and this is ' + process.versions.node + '. Install a newer Node.js.');
    return;
  }
  const help = readyHelp(process.argv.slice(2));
  if (help !== undefined) {
    write(1, help);
    return;
  }
  const dist = path.join(root, 'dist');
  if (!fs.existsSync(path.join(dist, 'main.js'))) {
    fail('cdpadm is not built yet. Run `npm run build` in ' + root + ', then try again.');
    return;
  }
  const { load } = require('./load.js');
  const { main } = /** @type {{main: () => Promise<void>}} */ (load(dist, process.argv.slice(2)));
  void main();
}

start();
