// Loads the bundle with V8's compiled code from an earlier run, because compiling takes a quarter of the time of a
// short command. Node's own cache (`module.enableCompileCache`) contains only the little code that is compiled while a
// file is loaded. The cache folder has one file for each command. The files are executed, so they must belong to this
// user alone. A file is written after the command's work, and only if it lacks code. A failure of the cache is never an
// error.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

/** The maximum number of files, and the maximum size of a file. */
const MAX_FILES = 16;
const MAX_SIZE = 16 * 2 ** 20;

/** Node's module wrapper. Column numbers in stack traces do not include it. */
const HEAD = '(function (exports, require, module, __filename, __dirname) { ';

/** Exit codes of a finished command: success, and differences found. */
const FINISHED = [0, 10];
/**
 * Exit codes of a command that a signal stopped: a server, or an unfinished command, whose next run might have more
 * code to save.
 */
const STOPPED = [130, 143];
/** The marker among the chunks of a stopped command. */
const HALFWAY = 'halfway';

/**
 * A saved chunk: its text and V8's compiled code. V8 itself compares only the length of the text.
 * @typedef {{text: Buffer, code: Buffer}} Kept
 */

/**
 * Runs `dist/main.js` and returns its exports. Finds chunks by name, without Node's resolution.
 * @param {string} dist the bundle folder
 * @param {string[]} args the command line
 * @returns {unknown}
 */
function load(dist, args) {
  const file = fileFor(args);
  /** @type {Map<string, Kept>} */
  const kept = file === undefined ? new Map() : read(file);
  /** @type {Map<string, {exports: unknown}>} */
  const modules = new Map();
  /** @type {Map<string, {text: Buffer, script: vm.Script}>} */
  const used = new Map();
  let isMissing = false;

  /**
   * @param {string} name the chunk's path below `dist`
   * @returns {unknown}
   */
  function run(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const filename = dist + path.sep + name;
    const text = fs.readFileSync(filename);
    const held = kept.get(name);
    const cachedData = held?.text.equals(text) ? held.code : undefined;
    const script = new vm.Script(HEAD + text.toString() + '\n})', { filename, columnOffset: -HEAD.length, cachedData });
    if (!cachedData || script.cachedDataRejected) isMissing = true;
    used.set(name, { text, script });

    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    /** @type {(id: string) => unknown} */
    const inner = (id) => {
      if (id.startsWith('./')) return run(folder + id.slice(2));
      return id.startsWith('../') ? run(id.slice(3)) : require(id);
    };
    const module = { exports: {} };
    modules.set(name, module);
    const around = /** @type {(...values: unknown[]) => void} */ (script.runInThisContext());
    try {
      around.call(module.exports, module.exports, inner, module, filename, path.dirname(filename));
    } catch (error) {
      modules.delete(name);
      throw error;
    }
    return module.exports;
  }

  if (file !== undefined) {
    process.on('exit', (code) => {
      const isFinished = FINISHED.includes(code);
      if (!(isFinished && kept.has(HALFWAY)) && !(isMissing && (isFinished || STOPPED.includes(code)))) return;
      const none = Buffer.alloc(0);
      write(file, () => [
        ...stillValid(),
        ...compiled(),
        ...(isFinished ? [] : [/** @type {[string, Kept]} */ ([HALFWAY, { text: none, code: none }])]),
      ]);
    });
  }

  /** Keeps chunks that the same command needs with other flags. */
  function stillValid() {
    return [...kept].filter(([name, { text }]) => {
      const chunk = path.join(dist, name);
      return !used.has(name) && fs.existsSync(chunk) && text.equals(fs.readFileSync(chunk));
    });
  }

  /** @returns {[string, Kept][]} */
  function compiled() {
    return [...used].map(([name, { text, script }]) => [name, { text, code: script.createCachedData() }]);
  }

  return run('main.js');
}

/**
 * Returns the path of a command's cache file, or undefined if the command must not be cached.
 * @param {string[]} args
 */
function fileFor(args) {
  const { CI, NODE_DISABLE_COMPILE_CACHE } = process.env;
  // Continuous integration starts without a cache. On Windows, a file mode does not show who can write. The single
  // executable, which is its own script, does not write its code to disk.
  const isExecutable = process.argv[1] === process.execPath;
  if (CI || NODE_DISABLE_COMPILE_CACHE || !process.getuid || isExecutable) return undefined;
  // The command's name, such as `roles list`, wherever its flags are. An unknown command only adds a file.
  const words = args.filter((word, at) => /^[a-z_][a-z_-]{0,30}$/.test(word) && !(args[at - 1] || '').startsWith('-'));
  const name = [...words.slice(0, 2), process.version, process.arch].join('.');
  return path.join(cacheFolder(), 'code', name);
}

/** The same folder as in `src/lib/config/paths.ts`, except on Windows. */
function cacheFolder() {
  const { CDPADM_CACHE_DIR: own, XDG_CACHE_HOME: shared } = process.env;
  if (own) return path.resolve(own);
  if (shared && path.isAbsolute(shared)) return path.join(shared, 'cdpadm');
  let home = process.env.HOME || '';
  try {
    // As in `src/lib/kernel/host.ts`, a relative HOME does not count.
    if (!path.isAbsolute(home)) home = require('node:os').userInfo().homedir;
  } catch {
    home = '/'; // The user has no home folder, as in a container with an arbitrary user id.
  }
  return path.join(home, process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'cdpadm');
}

/** @param {fs.Stats} stats */
function isOwn(stats) {
  return stats.uid === process.getuid?.();
}

/** @param {fs.Stats} stats */
function isPrivate(stats) {
  return isOwn(stats) && (stats.mode & 0o077) === 0;
}

/**
 * @param {string} file
 * @returns {Map<string, Kept>} by chunk name; empty if there is no trustworthy file
 */
function read(file) {
  try {
    const folder = fs.lstatSync(path.dirname(file));
    if (!folder.isDirectory() || !isPrivate(folder)) return new Map();
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = fs.fstatSync(fd);
      if (!stats.isFile() || !isPrivate(stats) || stats.size > MAX_SIZE) return new Map();
      return unpack(fs.readFileSync(fd));
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return new Map();
  }
}

/**
 * The inverse of `pack`. Throws or returns an empty map for damaged bytes.
 * @param {Buffer} bytes
 * @returns {Map<string, Kept>}
 */
function unpack(bytes) {
  /** @type {Map<string, Kept>} */
  const kept = new Map();
  const size = bytes.readUInt32LE(0);
  if (!bytes.subarray(0, size).equals(bytes.subarray(size, 2 * size))) return kept;
  let code = 8 + bytes.readUInt32LE(4);
  let text = 2 * size;
  /** @type {[string, number, number][]} */
  const index = JSON.parse(bytes.toString('utf8', 8, code));
  for (const [name, codeLength, textLength] of index) {
    kept.set(name, { code: bytes.subarray(code, code + codeLength), text: bytes.subarray(text, text + textLength) });
    code += codeLength;
    text += textLength;
  }
  return kept;
}

/**
 * The format: length of the first part, length of the index, the index, the codes; all of it again; the strings.
 * V8 has no checksum, and comparing two copies is fast enough before anything is compiled.
 * @param {[string, Kept][]} kept
 * @returns {Buffer[]}
 */
function pack(kept) {
  const index = Buffer.from(JSON.stringify(kept.map(([name, { code, text }]) => [name, code.length, text.length])));
  const head = Buffer.alloc(8);
  const part = [head, index, ...kept.map(([, { code }]) => code)];
  head.writeUInt32LE(sizeOf(part));
  head.writeUInt32LE(index.length, 4);
  return [...part, ...part, ...kept.map(([, { text }]) => text)];
}

/** @param {Buffer[]} pieces */
function sizeOf(pieces) {
  return pieces.reduce((size, { length }) => size + length, 0);
}

/**
 * @param {string} file
 * @param {() => [string, Kept][]} make returns the chunks to write
 */
function write(file, make) {
  const folder = path.dirname(file);
  const temporary = file + '.' + String(process.pid) + Math.random().toString(36).slice(1) + '.tmp';
  try {
    if (!openFolder(folder)) return;
    const pieces = pack(make());
    if (sizeOf(pieces) > MAX_SIZE) return;
    try {
      writeWhole(temporary, pieces);
      fs.renameSync(temporary, file);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
    removeOld(folder);
  } catch {
    // The disk is full or the folder is not writable.
  }
}

/**
 * @param {string} file must not exist
 * @param {Buffer[]} pieces
 */
function writeWhole(file, pieces) {
  const fd = fs.openSync(file, 'wx', 0o600);
  try {
    if (fs.writevSync(fd, pieces) < sizeOf(pieces)) throw new Error('The disk is full.');
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Creates the folder if it is missing; returns whether it may be used. Does not create the cache folder itself, because
 * a command that otherwise writes nothing must not leave one.
 * @param {string} folder
 */
function openFolder(folder) {
  if (!isOwn(fs.statSync(path.dirname(folder)))) return false;
  if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
  const stats = fs.lstatSync(folder);
  return stats.isDirectory() && isPrivate(stats);
}

/** @param {string} folder */
function removeOld(folder) {
  const files = fs.readdirSync(folder).map((name) => path.join(folder, name));
  if (files.length <= MAX_FILES) return;
  const aged = files.map((file) => ({ file, at: fs.lstatSync(file).mtimeMs })).sort((a, b) => b.at - a.at);
  for (const { file } of aged.slice(MAX_FILES)) fs.rmSync(file, { force: true });
}

module.exports = { load };
