// A rolldown plugin that replaces parts of our dependencies to make the bundle smaller. Most of the replacements throw
// an error if they are used.

const never = (/** @type {string} */ what) =>
  `throw new Error(${JSON.stringify(`${what} is not part of this program's bundle: see scripts/spare-parts.mjs.`)});`;

/**
 * The code that replaces the import `source` in modules that match `importer`.
 * @type {{importer: RegExp, source: RegExp, code: string}[]}
 */
const PARTS = [
  {
    // We use only undici's pools. Its fetch, WebSocket, EventSource, caches and mocks make up half of its code.
    importer: /[\\/]src[\\/]lib[\\/]http[\\/]/,
    source: /^undici$/,
    code: [
      `import Agent from 'undici/lib/dispatcher/agent.js';`,
      `import buildConnector from 'undici/lib/core/connect.js';`,
      `import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';`,
      `import connect from 'undici/lib/api/api-connect.js';`,
      `import Pool from 'undici/lib/dispatcher/pool.js';`,
      `import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';`,
      // Like undici's index. A proxy agent calls this method to open a tunnel.
      'Dispatcher.prototype.connect = connect;',
      'export { Agent, buildConnector, Pool, ProxyAgent };',
    ].join('\n'),
  },
  {
    // This module supports bodies that are forms or web streams; ours are strings and bytes.
    importer: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client/,
    source: /^\.\.\/web\/fetch\/body\.js$/,
    code: `export function extractBody() { ${never('A form as a body')} }`,
  },
  {
    // Only commands that are separate programs start a process. Loading this module takes a tenth of a completion's time.
    importer: /[\\/]commander[\\/]lib[\\/]/,
    source: /^node:child_process$/,
    code: `export function spawn() { ${never('A command that is a separate program')} }`,
  },
  {
    // Our own schema validates the settings before conf writes them.
    importer: /[\\/]conf[\\/]dist[\\/]/,
    source: /^ajv\/dist\/2020\.js$/,
    code: `export class Ajv2020 { constructor() { ${never('ajv')} } }`,
  },
  {
    importer: /[\\/]conf[\\/]dist[\\/]/,
    source: /^ajv-formats$/,
    code: `const ajvFormats = { default() { ${never('ajv-formats')} } };\nexport default ajvFormats;`,
  },
  {
    // We pass the settings folder, so this package is not needed. Loading it fails for a user without a home folder.
    importer: /[\\/]conf[\\/]dist[\\/]/,
    source: /^env-paths$/,
    code: `export default function envPaths() { ${never("Conf's default folder")} }`,
  },
  {
    // This module validates elicitation responses; our server does not use elicitation.
    importer: /[\\/]@modelcontextprotocol[\\/]sdk[\\/]/,
    source: /[\\/]ajv-provider\.js$/,
    code: `export class AjvJsonSchemaValidator {}`,
  },
  {
    // The editor prompt includes tables of all character sets. Our `edit` commands open the editor themselves.
    importer: /[\\/]@inquirer[\\/]prompts[\\/]/,
    source: /^@inquirer\/editor$/,
    code: `export default function editor() { ${never('The editor prompt')} }`,
  },
  {
    // Node has Brotli built in.
    importer: /[\\/]hyparquet-compressors[\\/]src[\\/]/,
    source: /^\.\/brotli\.js$/,
    code: [
      `import { brotliDecompressSync } from 'node:zlib';`,
      'export function decompressBrotli(input, length) {',
      // Zero is not a valid limit.
      '  return new Uint8Array(brotliDecompressSync(input, { maxOutputLength: length || undefined }));',
      '}',
    ].join('\n'),
  },
];

export const replacedPackages = new Set(['undici', 'conf', 'hyparquet-compressors']);

const PREFIX = '\0spare-part:';

/** @returns {import('rolldown').Plugin} */
export function spareParts() {
  /** @type {Set<number>} */
  const used = new Set();
  return {
    name: 'spare-parts',
    resolveId(source, importer = '') {
      const found = PARTS.findIndex((part) => part.source.test(source) && part.importer.test(importer));
      if (found !== -1) {
        used.add(found);
        return `${PREFIX}${found}`;
      }
      // The imports in replacement code are resolved relative to this file.
      return importer.startsWith(PREFIX) ? this.resolve(source, import.meta.filename, { skipSelf: true }) : undefined;
    },
    load: (id) => (id.startsWith(PREFIX) ? PARTS[Number(id.slice(PREFIX.length))]?.code : undefined),
    buildEnd() {
      const idle = PARTS.filter((_part, index) => !used.has(index)).map(({ source }) => String(source));
      if (idle.length > 0)
        throw new Error(`A library has changed: nothing imports ${idle.join(', ')} (spare-parts.mjs).`);
    },
  };
}
