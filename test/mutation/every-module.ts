/// <reference types="vite/types/importMeta.d.ts" />
// Loads every module up front, so that code that runs at load time does not count as part of the first test.
import.meta.glob('../../src/lib/{domain,contract,http,files}/**/*.ts', { eager: true });
