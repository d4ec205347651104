// The main script of the single executable and of its threads. The program's files are assets of the executable. They
// appear to be in a folder at the executable's own path, where no real folder can be. Nothing is written to disk.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { getRawAsset } = require('node:sea');
const { fileURLToPath } = require('node:url');
const vm = require('node:vm');
const threads = require('node:worker_threads');

const FOLDER = process.execPath + path.sep;
const SQLITE = 'node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.js';

/**
 * Returns the name of the asset at a path, or undefined for a real file.
 * @param {unknown} file
 */
function assetOf(file) {
  const name = file instanceof URL && file.protocol === 'file:' ? fileURLToPath(file) : file;
  if (typeof name !== 'string' || !name.startsWith(FOLDER)) return undefined;
  return name.slice(FOLDER.length).replaceAll('\\', '/');
}

/** @param {string} name */
function read(name) {
  // Does not copy the asset, because assets are never written to.
  return Buffer.from(/** @type {ArrayBuffer} */ (getRawAsset(name)));
}

/**
 * @param {string} name
 * @param {unknown} options the options of `fs.readFile`
 */
function readAs(name, options) {
  const encoding = typeof options === 'object' ? /** @type {{encoding?: string}} */ (options ?? {}).encoding : options;
  const bytes = read(name);
  return encoding ? bytes.toString(/** @type {BufferEncoding} */ (encoding)) : bytes;
}

const { existsSync, readFileSync } = fs;
const { readFile } = fs.promises;
const { Worker } = threads;
Object.assign(fs, {
  /** @param {[file: string, options?: null]} given */
  readFileSync(...given) {
    const name = assetOf(given[0]);
    return name === undefined ? readFileSync(...given) : readAs(name, given[1]);
  },
  /** @param {string} file */
  existsSync: (file) => assetOf(file) !== undefined || existsSync(file),
});
Object.assign(fs.promises, {
  /** @param {[file: string, options?: null]} given */
  async readFile(...given) {
    const name = assetOf(given[0]);
    return name === undefined ? readFile(...given) : readAs(name, given[1]);
  },
});
/** A thread from an asset runs this script, which then runs the asset. */
threads.Worker = class extends Worker {
  /** @param {URL} file */
  constructor(file) {
    super(read('main.cjs').toString(), { eval: true, workerData: assetOf(file) });
  }
};

/** @type {Map<string, {exports: unknown}>} */
const modules = new Map();

/**
 * Runs a module of the program and returns its exports.
 * @param {string} name
 * @returns {unknown}
 */
function run(name) {
  const known = modules.get(name);
  if (known) return known.exports;
  const text = read(name).toString();
  if (name.endsWith('.json')) return JSON.parse(text);
  const module = { exports: {} };
  modules.set(name, module);
  const filename = FOLDER + name.replaceAll('/', path.sep);
  const folder = path.posix.dirname(name);
  /** @param {string} id */
  const inner = (id) => {
    if (id.startsWith('.')) return run(path.posix.join(folder, id));
    return id === 'node-sqlite3-wasm' ? run(SQLITE) : builtin(id);
  };
  const around = vm.compileFunction(text, ['exports', 'require', 'module', '__filename', '__dirname'], { filename });
  around.call(module.exports, module.exports, inner, module, filename, path.dirname(filename));
  return module.exports;
}

/**
 * The keychain's native module is not in the executable, because it would have to be unpacked to disk.
 * @param {string} id
 */
function builtin(id) {
  const found = process.getBuiltinModule(id);
  if (found === undefined)
    throw Object.assign(new Error(`${id} is not in the single executable.`), { code: 'NOT_IN_EXECUTABLE' });
  return found;
}

// Node puts the word that started the executable here, such as `cdpadm`. The program expects the path of its script.
process.argv[1] = process.execPath;
run(threads.isMainThread ? 'bin/cdpadm.js' : threads.workerData);
