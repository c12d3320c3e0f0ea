import { describe, expect, it } from '@jest/globals';
import { processEnvironment } from '@platform-backend/testing';
import { execFileSync } from 'node:child_process';

/** The modules that a process loads for this one, without those of Node. */
function loadedFor(name: string): string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    await import(${JSON.stringify(name)});
    console.log(JSON.stringify(urls));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    env: processEnvironment(),
    encoding: 'utf8',
  });
  return (JSON.parse(printed) as string[]).filter((url) => url.startsWith('file:'));
}

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
