import { describe, expect, it } from '@jest/globals';
import { loadedModules } from '@platform-backend/testing';

const loadedFor = (name: string): string[] => loadedModules(name, import.meta.url);

describe('what a process loads', () => {
  it('of the contract by a service is nothing of HTTP, which the gateway speaks alone', () => {
    const ofContract = loadedFor('@platform-backend/contract');
    expect(ofContract.filter((url) => url.includes('/checks/'))).not.toEqual([]);
    expect(ofContract.filter((url) => url.includes('/http/'))).toEqual([]);
  });

  it('with the words of the core is no package: rules and the threads that use them start without logs and metrics', () => {
    const loaded = loadedFor('@platform-backend/core');
    expect(loaded.filter((url) => url.endsWith('/domain-error.ts'))).toHaveLength(1);
    expect(loaded.filter((url) => url.includes('/node_modules/'))).toEqual([]);
  });
});
