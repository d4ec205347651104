/// <reference types="vite/types/importMeta.d.ts" />
// What only runs when a module is loaded must not count as a part of the test that happens to load it.
import.meta.glob('../../src/lib/{domain,contract,http,files}/**/*.ts', { eager: true });
