// What the linter holds: type-checked rules for mistakes (a missing `await` above all), and one home for each global.
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
      'no-restricted-imports': ['error', { paths: [{ name: 'zod', message: "Import names from 'zod/mini'." }] }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      // `import('yaml')` as a type is how a module that is loaded late is spoken of.
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      // An interface promises `async`; whether this one has to wait is its own affair.
      '@typescript-eslint/require-await': 'off',
      // Numbers and 64-bit ids read well in a sentence.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // The compiler tells what is unused, and knows a schema that is there for its type alone.
      '@typescript-eslint/no-unused-vars': 'off',
      // What was caught is passed on as it came.
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      // Records keyed by what a file or an answer holds are ordinary here.
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Knows less than we do of what `JSON.stringify` gives, and of rows that a query returns.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // `!` is not used here; where a value is known to be there, `as` says what it is.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // A string is spread to look at its code points.
      '@typescript-eslint/no-misused-spread': ['error', { allow: [{ from: 'lib', name: 'string' }] }],
      // `values['role_id']` says that the key comes from a file or from the wire.
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // An empty variable or flag means unset: `||` is meant.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      // Our objects are records of functions that use no `this`.
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
    },
  },
  { files: ['src/lib/kernel/host.ts'], rules: { 'no-restricted-globals': 'off' } },
  { files: ['src/lib/kernel/**/*.ts'], rules: { 'no-restricted-properties': 'off' } },
  // Tests look at escape sequences, and `expect.any(String)` is an `any` by its type.
  {
    files: ['test/**/*.ts'],
    rules: { 'no-control-regex': 'off', '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  // What `require` and `JSON.parse` give has its type from a comment here, which these rules do not see.
  {
    files: ['**/*.{js,mjs}'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off', '@typescript-eslint/no-unsafe-argument': 'off' },
  },
  {
    files: ['bin/**/*.js'],
    languageOptions: { sourceType: 'commonjs' },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
);
