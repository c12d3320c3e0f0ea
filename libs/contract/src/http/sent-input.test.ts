import { beforeAll, describe, expect, it } from '@jest/globals';
import protobuf from 'protobufjs';
import { contractOf } from '../contract.ts';
import { compileRoutes, type Routes } from './routes.ts';
import type { Violation } from './sent-input.ts';

const rpc = (name: string, path: string, body = '*', more = '') => `rpc ${name}(${name}Request) returns (Note) {
  option (platform.options.v1.access) = {credentials: [CREDENTIAL_KIND_TOKEN] level: PERMISSION_LEVEL_EDITOR area: "notes"};
  option (google.api.http) = {post: "${path}" body: "${body}"};
  ${more}
}`;
let routes: Routes;
beforeAll(() => {
  const root = new protobuf.Root();
  const keepCase = { keepCase: true };
  protobuf.parse(
    'syntax = "proto3"; package platform.options.v1; enum Area { NOTES = 0; } enum PermissionLevel { EDITOR = 0; }',
    root,
    keepCase,
  );
  protobuf.parse(
    `syntax = "proto3"; package platform.notes.v1;
    message Note { int64 size = 1; string name = 2; repeated int32 numbers = 3; }
    message AddNoteRequest { int64 size = 1; string name = 2; repeated int32 numbers = 3; int32 limit = 4; }
    message SealNoteRequest { string name = 1; string key = 2 [(platform.options.v1.rules).secret = true]; }
    message TellNotesRequest { repeated Note notes = 1; }
    service NoteService {
      ${rpc('AddNote', '/notes/')}
      ${rpc('SealNote', '/sealed/')}
      ${rpc('TellNotes', '/told/', 'notes', 'option (platform.options.v1.http_dialect).cloud_events = true;')}
    }`,
    root,
    keepCase,
  );
  root.resolveAll();
  routes = compileRoutes(contractOf(root), { cursorKey: 'a key for cursors' });
});

function parserOf(path: string) {
  const match = routes.match('POST', path);
  if (match.kind !== 'route') throw new Error(`${path} leads to ${match.kind}`);
  return match.route.parse;
}
const parts = (body: string, rawQuery = '') => ({
  ...{ pathParameters: {}, rawQuery, body: Buffer.from(body) },
  headers: { 'content-type': 'application/json' },
});
const violation = (loc: Violation['loc'], input?: unknown, type = 'value_error'): Violation => ({
  ...{ type, loc, msg: 'Value error, no' },
  ...(input !== undefined && { input }),
});
const inputs = (path: string, body: string, violations: readonly Violation[], query = ''): unknown =>
  JSON.parse(
    JSON.stringify(
      parserOf(path)
        .asSent(parts(body, query), violations)
        .map(({ input = 'none' }) => input),
    ),
  );

describe('what a service has found wrong with a request', () => {
  it('is shown with the value as it was sent', () => {
    const body = '{"size": 5, "name": "2026-01-01T00:00:00+01:00", "numbers": [1, 2.0]}';
    const found = [
      violation(['body', 'size'], '5'),
      violation(['body', 'name'], '2025-12-31T23:00:00.000Z'),
      violation(['body', 'numbers'], 2),
      violation(['body', 'numbers', 0], null),
    ];
    expect(inputs('/notes/', body, found)).toEqual([5, '2026-01-01T00:00:00+01:00', [1, 2], 1]);
    expect(inputs('/notes/', '{"size": "9007199254740993"}', [violation(['body', 'size'], 1)])).toEqual([
      '9007199254740993',
    ]);
    const missing = violation(['body', 'name'], null, 'missing');
    expect(inputs('/notes/', '{"size": 5}', [missing])).toEqual([{ size: 5 }]);
    expect(inputs('/notes/', '{}', [violation(['query', 'limit'], 7)], 'limit=007')).toEqual(['007']);
  });

  it('stays as the service says it where nothing was sent, or nothing is to be shown', () => {
    expect(inputs('/notes/', '{}', [violation(['body', 'size'], 0), violation(['path', 'id'], 'x')])).toEqual([0, 'x']);
    expect(inputs('/notes/', '{"name": "a"}', [violation(['body', 'name'])])).toEqual(['none']);
    expect(inputs('/notes/', '{"name": "a"}', [violation(['body', '__proto__'], 1)])).toEqual([1]);
    const sealed = [violation(['body', 'key'], null), violation(['body', 'name'], null), violation(['body'], null)];
    expect(inputs('/sealed/', '{"name": "a", "key": "secret"}', sealed)).toEqual([null, null, null]);
  });

  it('shows no more than the beginning of what is long', () => {
    const body = JSON.stringify({ name: 'x'.repeat(5_000) });
    expect(inputs('/notes/', body, [violation(['body', 'name'], 'x')])).toEqual([`${'x'.repeat(1024)}…`]);
  });
});

describe('one of what may be a list', () => {
  const wrong = '{"size": "five"}';
  const locs = (body: string): unknown => {
    const parsed = parserOf('/told/')(parts(body));
    return parsed.ok ? [] : typeof parsed.detail === 'string' ? parsed.detail : parsed.detail.map(({ loc }) => loc);
  };

  it('has no index where it was sent by itself', () => {
    expect(locs(wrong)).toEqual([['body', 'size']]);
    expect(locs(`[${wrong}]`)).toEqual([['body', 0, 'size']]);
    const told = (body: string) => parserOf('/told/').asSent(parts(body), [violation(['body', 0, 'size'], '5')]);
    expect(told('{"size": 5}')).toMatchObject([{ loc: ['body', 'size'], input: 5 }]);
    expect(told('[{"size": 5}]')).toMatchObject([{ loc: ['body', 0, 'size'], input: 5 }]);
  });
});
