/** `node generate.mjs FOLDER`: clients of three generators, made of `openapi.json` in the folder. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder = ''] = process.argv.slice(2);
const description = join(folder, 'openapi.json');

// npm gives a generator beside the repository's own compiler that one, which is no library.
const typescript = import.meta.resolve('typescript');
registerHooks({
  resolve: (name, context, next) =>
    name === 'typescript' ? { url: typescript, shortCircuit: true } : next(name, context),
});
const [{ createClient }, { default: openapiTS, astToString }, { generate }] = await Promise.all([
  import('@hey-api/openapi-ts'),
  import('openapi-typescript'),
  import('orval'),
]);

writeFileSync(join(folder, 'schema.d.ts'), astToString(await openapiTS(pathToFileURL(description))));
await createClient({
  input: description,
  output: { path: join(folder, 'hey-api'), tsConfigPath: join(folder, 'tsconfig.json') },
  plugins: ['@hey-api/client-fetch'],
  logs: { level: 'error' },
});
await generate(
  {
    input: { target: description },
    output: {
      target: join(folder, 'orval.ts'),
      client: 'fetch',
      override: { mutator: { path: join(folder, 'orval-fetch.ts'), name: 'send' } },
    },
  },
  folder,
);
