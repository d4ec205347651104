// A rolldown plugin that leaves out of the bundle what our libraries bring along and we never use. A part that is reached
// all the same says so, instead of doing something else.

const never = (/** @type {string} */ what) =>
  `throw new Error(${JSON.stringify(`${what} is not part of this program's bundle: see scripts/spare-parts.mjs.`)});`;

/**
 * By what a module is imported as, and by whom: the code that takes its place.
 * @type {{importer: RegExp, source: RegExp, code: string}[]}
 */
const PARTS = [
  {
    // Of undici the pools are used; its fetch, WebSocket, EventSource, caches and mocks are half of it.
    importer: /[\\/]src[\\/]lib[\\/]http[\\/]/,
    source: /^undici$/,
    code: [
      `import Agent from 'undici/lib/dispatcher/agent.js';`,
      `import buildConnector from 'undici/lib/core/connect.js';`,
      `import Pool from 'undici/lib/dispatcher/pool.js';`,
      `import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';`,
      'export { Agent, buildConnector, Pool, ProxyAgent };',
    ].join('\n'),
  },
  {
    // For bodies that are forms or streams of the web; ours are text and bytes.
    importer: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client/,
    source: /^\.\.\/web\/fetch\/body\.js$/,
    code: `export function extractBody() { ${never('A form as a body')} }`,
  },
  {
    // The settings are checked by our own schema; conf only writes them, and only then.
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
    // Prompts that open an editor bring tables of all character sets along. Our `edit` commands open it themselves.
    importer: /[\\/]@inquirer[\\/]prompts[\\/]/,
    source: /^@inquirer\/editor$/,
    code: `export default function editor() { ${never('The editor prompt')} }`,
  },
  {
    // Node has Brotli itself.
    importer: /[\\/]hyparquet-compressors[\\/]src[\\/]/,
    source: /^\.\/brotli\.js$/,
    code: [
      `import { brotliDecompressSync } from 'node:zlib';`,
      'export function decompressBrotli(input, length) {',
      // Zero would be refused as a limit.
      '  return new Uint8Array(brotliDecompressSync(input, { maxOutputLength: length || undefined }));',
      '}',
    ].join('\n'),
  },
];

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
      // What a part imports is found from where we are.
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
