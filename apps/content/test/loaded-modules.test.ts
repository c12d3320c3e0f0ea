import { describe, expect, it } from '@jest/globals';
import { loadedModules, packagesOf } from '@platform-backend/testing';

describe('content', () => {
  it('starts without the packages of models by API, tool servers and addresses, which few of its processes use', () => {
    const packages = packagesOf(loadedModules('../src/areas.ts', import.meta.url));
    expect(packages).toContain('mongoose');
    for (const unused of ['ai', 'zod', '@modelcontextprotocol/client', 'undici'])
      expect(packages).not.toContain(unused);
  });
});
