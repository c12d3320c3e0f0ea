import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';

const service = new URL('../src/service.ts', import.meta.url).href;

/** Tells the modules that are loaded with it. */
const script = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
const { service } = await import(${JSON.stringify(service)});
process.stdout.write(JSON.stringify({ name: service.declaration.name, loaded }));
`;

it('whoever reads what the service is loads none of what it works with', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  const { name, loaded } = JSON.parse(output) as { name: string; loaded: string[] };
  expect(name).toBe('content');
  const ours = loaded.filter((url) => url.includes('/apps/content/src/'));
  expect(ours.length).toBeGreaterThan(1);
  expect(ours.filter((url) => /\/src\/[^/]+\/(?:app|api|models|extraction|indexes|rendering)\//.test(url))).toEqual([]);
  const foreign = /node_modules\/(?:openai|ai|@ai-sdk|@energetic-ai|@huggingface|@aws-sdk|mongoose|mongodb)\//;
  expect(loaded.filter((url) => foreign.test(url))).toEqual([]);
});
