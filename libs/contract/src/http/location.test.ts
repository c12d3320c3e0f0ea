import { describe, expect, it } from '@jest/globals';
import { loadStreams } from '../../test/sample-contract.ts';
import { compileRoutes } from './routes.ts';

const routes = compileRoutes(loadStreams(), { cursorKey: 'a key for cursors' });
const routeOf = (method: string) => routes.all.find(({ operation }) => operation.method === method);

describe('where an answer says that what was made is found', () => {
  it.each([
    ['a field of the answer', 'one', '/samples/one/content'],
    ['one that would not stay a part of the path', 'a/b?c é', '/samples/a%2Fb%3Fc%20%C3%A9/content'],
  ])('is a path with %s', (_, title, location) => {
    const route = routeOf('UploadSample');
    const bytes = route?.operation.responseType.encode({ title }).finish() ?? [];
    expect(route?.location?.(Buffer.from(bytes))).toBe(location);
  });

  it('is nowhere unless the contract says it', () => {
    expect(routeOf('UploadSampleForm')).not.toHaveProperty('location');
  });
});
