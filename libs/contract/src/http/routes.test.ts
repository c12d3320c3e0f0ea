import { describe, expect, it } from '@jest/globals';
import protobuf from 'protobufjs';
import { contractOf } from '../contract.ts';
import { compileRoutes } from './routes.ts';

const rpc = (name: string, verb: string, path: string, more = '') => `rpc ${name}(File) returns (File) {
  option (platform.options.v1.access) = {credentials: [CREDENTIAL_KIND_TOKEN] level: PERMISSION_LEVEL_EDITOR area: "files"};
  option (google.api.http) = {${verb}: "${path}"};
  ${more}
}`;
const root = new protobuf.Root();
const keepCase = { keepCase: true };
protobuf.parse(
  'syntax = "proto3"; package platform.options.v1; enum Area { FILES = 0; } enum PermissionLevel { EDITOR = 0; }',
  root,
  keepCase,
);
protobuf.parse(
  `syntax = "proto3"; package platform.files.v1;
  message File { string path = 1; string id = 2; }
  service FileService {
    ${rpc('ListFiles', 'get', '/files')}
    ${rpc('MakeFile', 'post', '/files', 'option (platform.options.v1.http_answer) = {location: "/files/{path=**}"};')}
    ${rpc('GetFile', 'get', '/files/{path=**}')}
    ${rpc('DeleteFile', 'delete', '/files/{path=**}')}
    ${rpc('ListCopies', 'get', '/files/{path=**}/copies')}
    ${rpc('DeleteCopy', 'delete', '/files/{path=**}/copies/{id}')}
    ${rpc('GetLimits', 'get', '/files/limits')}
  }
  service OtherService {
    option (platform.options.v1.default_http_dialect).open_ai = true;
    ${rpc('GetModel', 'get', '/v1/models/{id}')}
    ${rpc('MakeModel', 'post', '/v1/models')}
  }`,
  root,
  keepCase,
);
root.resolveAll();
const routes = compileRoutes(contractOf(root), { cursorKey: 'a key for cursors' });

function reached(method: string, path: string): unknown {
  const match = routes.match(method, path);
  return match.kind === 'route' ? [match.route.operation.method, match.pathParameters] : match;
}

describe('a parameter of several segments', () => {
  it.each([
    ['GET', '/files/a', ['GetFile', { path: 'a' }]],
    ['GET', '/files/a/b%20%C3%BC/c', ['GetFile', { path: 'a/b ü/c' }]],
    ['GET', '/files/a%2Fb', ['GetFile', { path: 'a/b' }]],
    ['GET', '/files/limits', ['GetLimits', {}]],
    ['GET', '/files/a/limits', ['GetFile', { path: 'a/limits' }]],
    ['GET', '/files/a/b/copies', ['ListCopies', { path: 'a/b' }]],
    ['GET', '/files/copies', ['GetFile', { path: 'copies' }]],
    ['GET', '/files/a/copies/copies', ['ListCopies', { path: 'a/copies' }]],
    ['DELETE', '/files/a/b/copies/1', ['DeleteCopy', { path: 'a/b', id: '1' }]],
    ['DELETE', '/files/a/b/copies', ['DeleteFile', { path: 'a/b/copies' }]],
    ['GET', '/files/a/copies/1', ['GetFile', { path: 'a/copies/1' }]],
    ['PUT', '/files/a', { kind: 'method_not_allowed', allow: 'GET, DELETE' }],
    ['GET', '/files/a/', { kind: 'redirect', location: '/files/a' }],
    ['GET', '/files/', { kind: 'redirect', location: '/files' }],
    ['GET', '/files/a//b', { kind: 'not_found' }],
    ['GET', '/files//a', { kind: 'not_found' }],
  ])('%s %s', (method, path, found) => expect(reached(method, path)).toEqual(found));

  it('is found in a time that grows no faster than the path', () => {
    const cpuMs = (count: number): number => {
      const path = `/files${'/copies/1'.repeat(count)}/a`;
      const before = process.cpuUsage();
      for (let n = 0; n < 10; n += 1) expect(reached('GET', path)).toEqual(['GetFile', { path: path.slice(7) }]);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    cpuMs(100);
    // About 1 ms where it grows with the path, and more than 500 where the path is joined at each of these words.
    expect(cpuMs(2_000)).toBeLessThan(100);
  });

  it('stands in the location of an answer with its segments', () => {
    const { operation, location } = routes.all.find((route) => route.operation.method === 'MakeFile') ?? {};
    const answer = Buffer.from(operation?.responseType.encode({ path: 'a/b ü?.csv' }).finish() ?? []);
    expect(location?.(answer)).toBe('/files/a/b%20%C3%BC%3F.csv');
  });

  it('is described as one of a single segment is', () => {
    expect(routes.all.find(({ operation }) => operation.method === 'GetFile')?.http).toMatchObject({
      path: '/files/{path}',
      pathFields: ['path'],
      deepFields: ['path'],
    });
  });
});

describe('a path that leads nowhere, or a method that it has not', () => {
  it('says how clients of all that is near expect errors, where they agree', () => {
    const dialect = { openAi: true, messageErrors: false };
    expect(routes.match('GET', '/v1/nothing')).toEqual({ kind: 'not_found', dialect });
    expect(routes.match('GET', '/v1/models/a/b')).toEqual({ kind: 'not_found', dialect });
    expect(routes.match('PUT', '/v1/models/a')).toEqual({ kind: 'method_not_allowed', allow: 'GET', dialect });
    expect(routes.match('GET', '/nothing')).toEqual({ kind: 'not_found' });
  });
});
