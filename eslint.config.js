// The rules of the linter: type-checked rules for mistakes (mainly a missing `await`), and a single owner for each
// global.
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** @param {string} home @param {string[]} names */
const onlyIn = (home, ...names) => names.map((name) => ({ name, message: `Only ${home} may touch this.` }));

export default defineConfig(
  { ignores: ['dist/', 'coverage/'] },
  {
    files: ['**/*.{ts,js,mjs}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-control-regex': 'error',
      'no-eval': 'error',
      'no-template-curly-in-string': 'error',
      'no-unsafe-finally': 'error',
      'prefer-const': 'error',
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'zod', message: "Write: import * as z from 'zod/mini'." }] },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      // `import('yaml')` is the type of a module that is loaded lazily.
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      // An interface may require `async` even if an implementation does not wait.
      '@typescript-eslint/require-await': 'off',
      // Allows numbers and 64-bit ids in messages.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // The compiler reports unused variables, and accepts a schema that is used only for its type.
      '@typescript-eslint/no-unused-vars': 'off',
      // Caught errors are rethrown unchanged.
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      // Records with keys from files or responses are common here.
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Does not know the exact types of `JSON.stringify` and of query results.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // We assert with `as`, which names the type, and never with `!`.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // Strings are spread into code points.
      '@typescript-eslint/no-misused-spread': ['error', { allow: [{ from: 'lib', name: 'string' }] }],
      // `values['role_id']` marks a key from a file or a request.
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // An empty variable or flag counts as unset, so `||` is intended.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      // Our objects are records of functions that do not use `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...onlyIn('src/lib/kernel/host.ts', 'process'),
        ...onlyIn('src/lib/http', 'fetch'),
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Take the time from the Clock.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Math'] > SpreadElement",
          message: 'A long list overflows the stack: use largest or smallest.',
        },
      ],
    },
  },
  { files: ['src/lib/kernel/host.ts'], rules: { 'no-restricted-globals': 'off' } },
  { files: ['src/lib/kernel/**/*.ts'], rules: { 'no-restricted-properties': 'off' } },
  // Tests match escape sequences, and `expect.any(String)` has the type `any`.
  {
    files: ['test/**/*.ts'],
    rules: { 'no-control-regex': 'off', '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  // JSDoc comments give the types of `require` and `JSON.parse`, which these rules do not read.
  {
    files: ['**/*.{js,mjs}'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off', '@typescript-eslint/no-unsafe-argument': 'off' },
  },
  // The console draws rows as they come from the control address; they have no types in a browser.
  {
    files: ['src/lib/emulator/console/*.js'],
    rules: {
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['bin/**/*.js'],
    languageOptions: { sourceType: 'commonjs' },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
);
