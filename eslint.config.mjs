import js from '@eslint/js';
import perfectionist from 'eslint-plugin-perfectionist';
import tseslint from 'typescript-eslint';

/** Packages, then our own files from far to near; `eslint --fix` puts them so. */
const importOrder = {
  type: 'natural',
  groups: [
    ['external', 'builtin', 'subpath', 'tsconfig-path', 'internal'],
    ['parent', 'sibling', 'index'],
    'side-effect',
    'unknown',
  ],
  newlinesBetween: 'ignore',
};

/** Two writers of the same row may meet at another unique index before they meet at the named one. */
const ignoredConflicts = {
  selector:
    "CallExpression[callee.property.name='ignore'][callee.object.callee.property.name='onConflict'][callee.object.arguments.length>0]",
  message: 'Name no columns: with them a conflict at another unique index is an error.',
};

export default tseslint.config(
  { ignores: ['**/node_modules/**', '**/generated/**', '.platform/**', '.nx/**'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { perfectionist },
    rules: {
      'perfectionist/sort-imports': ['error', importOrder],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-invalid-void-type': ['error', { allowAsThisParameter: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // mongoose declares its options as classes, and takes plain objects for them.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ignoredConflicts],
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        clearInterval: 'readonly',
        performance: 'readonly',
        setInterval: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
  {
    files: ['tools/**', 'bench/**', 'e2e/**'],
    rules: { 'no-console': 'off' },
  },
);
