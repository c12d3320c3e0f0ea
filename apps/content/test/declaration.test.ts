import { expect, it } from '@jest/globals';
import { loadedModules } from '@platform-backend/testing';
import { service } from '../src/service.ts';

it('whoever reads what the service is loads none of what it works with', () => {
  expect(service.declaration.name).toBe('content');
  const loaded = loadedModules('../src/service.ts', import.meta.url);
  const ours = loaded.filter((url) => url.includes('/apps/content/src/'));
  expect(ours.length).toBeGreaterThan(1);
  expect(ours.filter((url) => /\/src\/[^/]+\/(?:app|api|models|extraction|indexes|rendering)\//.test(url))).toEqual([]);
  const foreign = /node_modules\/(?:openai|ai|@ai-sdk|@energetic-ai|@huggingface|@aws-sdk|mongoose|mongodb)\//;
  expect(loaded.filter((url) => foreign.test(url))).toEqual([]);
});
