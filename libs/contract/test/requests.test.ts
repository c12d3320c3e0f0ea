import { beforeAll, describe, expect, it } from '@jest/globals';
import { costRatio } from '@platform-backend/testing/cost-ratio';
import type { Contract } from '../src/contract.ts';
import { compileRoutes, cursorSeal, type ParsedRequest, type Routes } from '../src/http/index.ts';
import { fieldPlan } from '../src/plans/field-plan.ts';
import { Findings } from '../src/validation/findings.ts';
import { loadSample, loadShapes } from './sample-contract.ts';

const cursorKey = 'a key for tests';
const uuid = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
let contract: Contract;
let routes: Routes;

beforeAll(() => {
  contract = loadShapes();
  routes = compileRoutes(contract, { cursorKey });
});

interface Sent {
  query?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

function parse(method: string, rawPath: string, { query = '', headers = {}, body }: Sent = {}): ParsedRequest {
  const match = routes.match(method, rawPath, query);
  if (match.kind !== 'route') throw new Error(`${method} ${rawPath} leads to ${match.kind}`);
  return match.route.parse({
    pathParameters: match.pathParameters,
    rawQuery: query,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? Buffer.from(body) : body,
  });
}

/** The request as its service sees it. */
function understood(method: string, rawPath: string, sent?: Sent): Record<string, unknown> {
  const parsed = parse(method, rawPath, sent);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.detail));
  const match = routes.match(method, rawPath);
  if (match.kind !== 'route') throw new Error(match.kind);
  const { service, method: name } = match.route.operation;
  return contract.serviceDefinition(service)[name]?.requestDeserialize(parsed.message) as Record<string, unknown>;
}

function written(body: object | string): Record<string, unknown> {
  return understood('POST', '/things/', { body: typeof body === 'string' ? body : JSON.stringify(body) });
}

function detailOf(method: string, rawPath: string, sent?: Sent): unknown {
  const parsed = parse(method, rawPath, sent);
  return parsed.ok ? 'nothing is wrong' : JSON.parse(JSON.stringify(parsed.detail));
}

describe('writing values into messages', () => {
  it('keeps 64-bit integers exact, as numbers and as text', () => {
    expect(
      written(
        '{"wide":9223372036854775807,"wide_positive":"18446744073709551615","wides":[1,-9223372036854775808,"0"]}',
      ),
    ).toMatchObject({
      wide: '9223372036854775807',
      widePositive: '18446744073709551615',
      wides: ['1', '-9223372036854775808', '0'],
    });
    expect(written({ fixed: 2 ** 53 - 1, zigzag: -5, real: 0.5 })).toMatchObject({
      fixed: '9007199254740991',
      zigzag: -5,
      real: 0.5,
    });
  });

  it('refuses integers that their field cannot hold', () => {
    expect(
      detailOf('POST', '/things/', { body: '{"wide":9223372036854775808,"wide_positive":-1,"zigzag":2147483648}' }),
    ).toMatchObject([
      { type: 'less_than_equal', loc: ['body', 'wide'] },
      { type: 'greater_than_equal', loc: ['body', 'wide_positive'], ctx: { ge: 0 } },
      { type: 'less_than_equal', loc: ['body', 'zigzag'], ctx: { le: 2147483647 } },
    ]);
  });

  it('reads maps, unwrapped messages and free JSON', () => {
    const object = { a: [1, { b: null }], __proto: true };
    expect(
      written({
        counts: { a: 1, b: '2' },
        labels: { x: 'y' },
        label_sets: [{}, { z: '' }],
        object,
        anything: [1.5, 'x'],
      }),
    ).toMatchObject({
      counts: { a: 1, b: 2 },
      labels: { labels: { x: 'y' } },
      labelSets: [{ labels: {} }, { labels: { z: '' } }],
      object,
      anything: [1.5, 'x'],
    });
  });

  it('keeps __proto__ a key like any other in free JSON', () => {
    const { object } = written('{"object":{"__proto__":{"admin":true}}}') as { object: object };
    expect(Object.hasOwn(object, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(object)).not.toHaveProperty('admin');
  });

  it('reads messages that contain their own kind', () => {
    const branch = { name: 'a', branches: [{ name: 'b', branches: [{ name: 'c', branches: [] }] }] };
    expect(written({ branch })).toMatchObject({ branch });
    expect(
      detailOf('POST', '/things/', { body: '{"branch":{"name":"a","branches":[{"branches":[{}]}]}}' }),
    ).toMatchObject([
      { type: 'missing', loc: ['body', 'branch', 'branches', 0, 'name'] },
      { type: 'missing', loc: ['body', 'branch', 'branches', 0, 'branches', 0, 'name'] },
    ]);
  });

  it('reads points in time, also in lists and before 1970', () => {
    expect(written({ at: '1969-12-31T23:59:59.5Z', times: ['2026-01-01', 0] })).toMatchObject({
      at: new Date(-500),
      times: [new Date('2026-01-01T00:00:00Z'), new Date(0)],
    });
  });

  it('reads header fields', () => {
    expect(understood('POST', '/things/', { headers: { 'x-trace': 'abc' }, body: '{}' })).toMatchObject({
      trace: 'abc',
    });
  });
});

describe('reporting what is wrong', () => {
  it('counts the items of lists', () => {
    expect(detailOf('POST', '/things/', { body: '{"tags":[]}' })).toEqual([
      {
        type: 'too_short',
        loc: ['body', 'tags'],
        msg: 'List should have at least 1 item after validation, not 0',
        input: [],
        ctx: { field_type: 'List', min_length: 1, actual_length: 0 },
      },
    ]);
    expect(detailOf('POST', '/things/', { body: '{"tags":["a","b","c","d"]}' })).toMatchObject([{ type: 'too_long' }]);
    expect(detailOf('POST', '/things/', { body: '{"tags":["a","123456",5]}' })).toMatchObject([
      { type: 'string_too_long', loc: ['body', 'tags', 1] },
      { type: 'string_type', loc: ['body', 'tags', 2] },
    ]);
  });

  it('measures texts, maps and free JSON', () => {
    const put = (body: object): unknown => detailOf('PUT', `/things/${uuid}`, { body: JSON.stringify(body) });
    const labels = { a: '', b: '', c: '', d: '' };
    expect(put({ labels })).toEqual([
      {
        type: 'too_long',
        loc: ['body', 'labels'],
        msg: 'Dictionary should have at most 3 items after validation, not 4',
        input: labels,
        ctx: { field_type: 'Dictionary', max_length: 3, actual_length: 4 },
      },
    ]);
    expect(put({ labels: { '😀😀😀😀😀': '😀'.repeat(10) } })).toBe('nothing is wrong');
    expect(put({ labels: { '123456': '', a: '1'.repeat(11) } })).toMatchObject([
      { type: 'string_too_long', loc: ['body', 'labels', '123456', '[key]'], input: '123456', ctx: { max_length: 5 } },
      { type: 'string_too_long', loc: ['body', 'labels', 'a'], ctx: { max_length: 10 } },
    ]);
    expect(put({ note: 'x'.repeat(62), facts: { a: 1 }, notes: ['x'.repeat(62), 2] })).toBe('nothing is wrong');
    expect(put({ note: 'x'.repeat(63), facts: { a: 'é'.repeat(28) }, notes: [2, ['x'.repeat(62)]] })).toMatchObject([
      {
        type: 'bytes_too_long',
        loc: ['body', 'note'],
        msg: 'Data should have at most 64 bytes',
        ctx: { max_length: 64 },
      },
      { type: 'bytes_too_long', loc: ['body', 'facts'] },
      { type: 'bytes_too_long', loc: ['body', 'notes', 1] },
    ]);
  });

  it('measures the whole message of a request when all its fields are right', () => {
    const put = (body: object): unknown => detailOf('PUT', `/things/${uuid}`, { body: JSON.stringify(body) });
    const fields = { text: 'x'.repeat(500), notes: Array<string>(8).fill('x'.repeat(50)) };
    // 38 bytes of the id, 503 of the text, 54 of each note.
    expect(put({ ...fields, link: 'x'.repeat(25) })).toBe('nothing is wrong');
    expect(put({ ...fields, link: 'x'.repeat(26) })).toEqual([
      {
        type: 'bytes_too_long',
        loc: ['body'],
        msg: 'Data should have at most 1000 bytes',
        input: null,
        ctx: { max_length: 1000 },
      },
    ]);
    expect(put({ ...fields, link: 'x'.repeat(61) })).toMatchObject([{ type: 'string_too_long' }]);
  });

  it('shows the beginning of a long key', () => {
    const body = JSON.stringify({ labels: { ['é'.repeat(2000)]: '' } });
    const [{ loc }] = detailOf('PUT', `/things/${uuid}`, { body }) as [{ loc: string[] }];
    expect(loc).toEqual(['body', 'labels', `${'é'.repeat(512)}…`, '[key]']);
  });

  it('refuses links with another scheme than http or https', () => {
    const put = (link: string): unknown => detailOf('PUT', `/things/${uuid}`, { body: JSON.stringify({ link }) });
    expect(put('javascript:alert(1)')).toEqual([
      {
        type: 'url_scheme',
        loc: ['body', 'link'],
        msg: "URL scheme should be 'http' or 'https'",
        input: 'javascript:alert(1)',
        ctx: { expected_schemes: "'http' or 'https'" },
      },
    ]);
    expect(put('https://example.com/logo.png')).toBe('nothing is wrong');
  });

  it('names the place inside maps and free JSON', () => {
    const body = '{"counts":{"a":"x"},"labels":{"x":5},"object":[],"anything":{"a":["\\u0000"]},"number_or_null":"x"}';
    expect(detailOf('POST', '/things/', { body })).toMatchObject([
      { type: 'int_parsing', loc: ['body', 'counts', 'a'] },
      { type: 'string_type', loc: ['body', 'labels', 'x'] },
      { type: 'dict_type', loc: ['body', 'object'] },
      { type: 'value_error', loc: ['body', 'anything', 'a', 0] },
      { type: 'value_error', loc: ['body', 'number_or_null'] },
    ]);
  });

  it('shows great numbers and floats in the input as they were written', () => {
    const parsed = parse('POST', '/things/', { body: '{"object":12345678901234567890,"labels":[1e5, 2.0]}' });
    expect(JSON.stringify(parsed.ok || parsed.detail)).toContain('"input":12345678901234567890');
    expect(JSON.stringify(parsed.ok || parsed.detail)).toContain('"input":[100000.0,2.0]');
  });

  it('never echoes a secret, wherever it stands', () => {
    const bodies = [
      '{"account":{"password":"hunter2"}}',
      '{"account":{"user":"ann","password":"hunter2"}}',
      '{"account":"hunter2"}',
      '{"accounts":{"password":"hunter2"}}',
      '{"accounts":[{"password":"hunter2hunter2"}]}',
      '{"accounts":[["hunter2"]]}',
      '["hunter2"]',
      '"hunter2"',
    ];
    for (const body of bodies) {
      const shown = JSON.stringify(detailOf('POST', '/things/', { body }));
      expect(shown).toContain('[redacted]');
      expect(shown).not.toContain('hunter2');
    }
    const text = detailOf('POST', '/things/', { headers: { 'content-type': 'text/plain' }, body: 'password=hunter2' });
    expect(JSON.stringify(text)).not.toContain('hunter2');
  });

  it('cuts echoed inputs beyond 1 KiB and stops counting errors at 500', () => {
    const long = detailOf('POST', '/things/', {
      body: JSON.stringify({ object: 'é'.repeat(2000), labels: Array(2000).fill(1) }),
    }) as { input: string }[];
    for (const { input } of long) expect(Buffer.byteLength(input)).toBeLessThanOrEqual(1024 + Buffer.byteLength('…'));
    expect(detailOf('POST', '/things/', { body: JSON.stringify({ wides: Array(10_000).fill('x') }) })).toHaveLength(
      500,
    );
  });

  it('answers 400 to a body nested deeper than 64 levels, and reads 64', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parse('POST', '/things/', { body: `{"anything":${nested(63)}}` })).toMatchObject({ ok: true });
    expect(parse('POST', '/things/', { body: `{"anything":${nested(64)}}` })).toMatchObject({ ok: false, status: 400 });
    expect(parse('POST', '/things/', { body: '['.repeat(500_000) })).toMatchObject({ ok: false, status: 400 });
  });
});

describe('requests that update', () => {
  const patch = (body: string): Record<string, unknown> => understood('PATCH', `/things/${uuid}/parts/2`, { body });

  it('tell the service which fields the body had, null or not', () => {
    expect(patch('{"note":null,"name":"x","other":1}')).toEqual({
      thingId: uuid,
      part: 2,
      name: 'x',
      note: null,
      updateMask: { paths: ['name', 'note'] },
    });
    expect(patch('{}')).toMatchObject({ updateMask: { paths: [] } });
  });

  it('report path and body errors together, the path first', () => {
    expect(detailOf('PATCH', '/things/x/parts/y', { body: '{"name":null}' })).toMatchObject([
      { type: 'uuid_parsing', loc: ['path', 'thing_id'] },
      { type: 'int_parsing', loc: ['path', 'part'] },
      { type: 'string_type', loc: ['body', 'name'] },
    ]);
  });
});

describe('requests for a page', () => {
  const list = 'platform.requests.v1.RequestService/ListThings';

  it('give the service the position inside a cursor of theirs', () => {
    const cursor = cursorSeal([cursorKey]).seal(list, '2026-01-01T00:00:00Z,7');
    expect(understood('GET', '/things/', { query: `cursor=${cursor}` })).toEqual({
      limit: 50,
      cursor: '2026-01-01T00:00:00Z,7',
    });
  });

  it('refuse a cursor of another list or another key', () => {
    const foreign = [cursorSeal(['other']).seal(list, 'x'), cursorSeal([cursorKey]).seal('other', 'x'), '', 'abc'];
    for (const cursor of foreign) {
      expect(detailOf('GET', '/things/', { query: `cursor=${cursor}` })).toMatchObject([
        { type: 'value_error', loc: ['query', 'cursor'], msg: 'Value error, not a cursor of this list, GET /things/' },
      ]);
    }
  });
});

describe('requests with files', () => {
  const multipart = (...parts: string[]): Sent => ({
    headers: { 'content-type': 'multipart/form-data; boundary=XyZ' },
    body: parts.map((part) => `--XyZ\r\nContent-Disposition: form-data; ${part}\r\n`).join('') + '--XyZ--',
  });

  it('arrive with name, type and content, next to ordinary fields', () => {
    const file = 'name="upload"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello';
    expect(understood('POST', '/files/', multipart(file, 'name="pages"\r\n\r\n3'))).toEqual({
      file: { filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('hello') },
      pages: 3,
    });
  });

  it('are told by the name of their part when something is wrong', () => {
    expect(detailOf('POST', '/files/', multipart('name="pages"\r\n\r\nx'))).toMatchObject([
      { type: 'missing', loc: ['body', 'upload'], input: null },
      { type: 'int_parsing', loc: ['body', 'pages'] },
    ]);
    const named = (filename: string): Sent => multipart(`name="upload"; filename="${filename}"\r\n\r\nhello`);
    expect(detailOf('POST', '/files/', named('é'.repeat(20)))).toBe('nothing is wrong');
    expect(detailOf('POST', '/files/', named('é'.repeat(21)))).toMatchObject([
      { type: 'string_too_long', loc: ['body', 'upload', 'filename'] },
    ]);
  });
});

describe('paths of requests', () => {
  it('prefer a literal segment to a parameter', () => {
    expect(routes.match('GET', '/things/latest')).toMatchObject({ route: { operation: { method: 'GetLatestThing' } } });
    expect(routes.match('GET', '/things/other')).toMatchObject({ pathParameters: { thing_id: 'other' } });
  });

  it('are decoded before they are matched, and never empty in a parameter', () => {
    expect(routes.match('GET', '/thing%73/%C3%A9')).toMatchObject({ kind: 'route', pathParameters: { thing_id: 'é' } });
    expect(routes.match('GET', '/things/a%2Fb')).toEqual({ kind: 'not_found' });
    expect(routes.match('GET', '//')).toEqual({ kind: 'not_found' });
    expect(routes.match('GET', '/things//')).toMatchObject({ kind: 'not_found' });
  });

  it('redirect to the other slash form with a path-only location', () => {
    expect(routes.match('GET', '/things', 'a=1&b=%20x')).toEqual({ kind: 'redirect', location: '/things/?a=1&b=%20x' });
    expect(routes.match('DELETE', '/things/x/')).toEqual({ kind: 'redirect', location: '/things/x' });
    expect(routes.match('GET', '/things/a%3Fb/')).toEqual({ kind: 'redirect', location: '/things/a%3Fb' });
    expect(routes.match('GET', '/things/a%0D%0Ab/')).toEqual({ kind: 'redirect', location: '/things/a%0D%0Ab' });
    expect(routes.match('GET', '//evil.example/things')).toEqual({ kind: 'not_found' });
  });

  it('name every method of a path in Allow', () => {
    expect(routes.match('DELETE', '/things/')).toEqual({ kind: 'method_not_allowed', allow: 'GET, POST' });
    expect(routes.match('HEAD', '/things/')).toEqual({ kind: 'method_not_allowed', allow: 'GET, POST' });
  });
});

describe('names that nobody knows', () => {
  const strict = { prefer: 'respond-async, handling=strict; foo' };
  const found = (method: string, path: string, sent: Sent) =>
    (detailOf(method, path, sent) as { loc: unknown[]; msg: string; input: unknown }[]).map(({ loc, msg }) => [
      loc.join('.'),
      msg,
    ]);

  it('are ignored, unless the request wants to be handled strictly', () => {
    const body = '{"branch":{"name":"a","branchs":[]},"tagz":["a"],"qqqqqq":"hunter2"}';
    expect(parse('POST', '/things/', { body })).toMatchObject({ ok: true });
    expect(parse('POST', '/things/', { body, headers: { prefer: 'handling=lenient' } })).toMatchObject({ ok: true });
    expect(found('POST', '/things/', { body, headers: strict }).toSorted()).toEqual([
      ['body.branch.branchs', "Extra inputs are not permitted: did you mean 'branches'?"],
      ['body.qqqqqq', 'Extra inputs are not permitted'],
      ['body.tagz', "Extra inputs are not permitted: did you mean 'tags'?"],
    ]);
    expect(JSON.stringify(detailOf('POST', '/things/', { body, headers: strict }))).not.toContain('hunter2');
  });

  it('of the query are found as well, and known ones are none', () => {
    const query = 'limitt=5';
    expect(found('POST', '/things/', { query, body: '{}', headers: strict })).toMatchObject([
      ['query.limitt', expect.stringContaining('Extra inputs')],
    ]);
    expect(
      parse('POST', '/things/', { body: '{"tags":["a"],"object":{"anything":1}}', headers: strict }),
    ).toMatchObject({
      ok: true,
    });
  });

  it('of a form are found as well, but for lists as OpenAI’s forms have them, which no field can be', () => {
    const part = (name: string, text: string) =>
      `--XyZ\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    const file = '--XyZ\r\nContent-Disposition: form-data; name="upload"; filename="a.txt"\r\n\r\nhello\r\n';
    const body = `${file}${part('pagez', 'hunter2')}${part('words[]', 'x')}--XyZ--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=XyZ' };
    expect(parse('POST', '/files/', { body, headers })).toMatchObject({ ok: true });
    const sent = { body, headers: { ...headers, ...strict } };
    expect(found('POST', '/files/', sent)).toEqual([
      ['body.pagez', "Extra inputs are not permitted: did you mean 'pages'?"],
    ]);
    expect(JSON.stringify(detailOf('POST', '/files/', sent))).not.toContain('hunter2');
  });

  it('hold nobody up, however many of them there are', () => {
    const names = Array.from({ length: 40_000 }, (_, n) => [`tagz-${String(n).padStart(50, 'x')}`, 0]);
    const body = JSON.stringify(Object.fromEntries(names));
    const strictly = () => detailOf('POST', '/things/', { body, headers: strict });
    const leniently = () => parse('POST', '/things/', { body });
    expect(strictly()).toHaveLength(500);
    expect(leniently()).toMatchObject({ ok: true });
    expect(costRatio(strictly, leniently)).toBeLessThan(20);
  });

  it('do not include what tells the members of a union apart', () => {
    const field = loadSample().root.lookupType('platform.sample.v1.Everything').fields['notification'];
    if (!field) throw new Error('the sample has no union any more');
    const findings = new Findings({ isStrict: true });
    fieldPlan(field, { unseal: () => undefined, maxNesting: 64 }).value.read(
      { method: 'EMAIL', user_ids: [], user_idz: [] },
      findings,
      ['body'],
    );
    expect(findings.items).toMatchObject([{ loc: ['body', 'EMAIL', 'user_idz'], ctx: { nearest: 'user_ids' } }]);
  });
});
