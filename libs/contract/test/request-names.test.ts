import { describe, expect, it } from '@jest/globals';
import { fieldPlan } from '../src/plans/field-plan.ts';
import { Findings } from '../src/validation/findings.ts';
import { detailOf, parse, routes, type Sent } from './requests-under-test.ts';
import { loadSample } from './sample-contract.ts';

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
    const begun = performance.now();
    expect(detailOf('POST', '/things/', { body, headers: strict })).toHaveLength(500);
    const strictMs = performance.now() - begun;
    const again = performance.now();
    expect(parse('POST', '/things/', { body })).toMatchObject({ ok: true });
    expect(strictMs).toBeLessThan(10 * (performance.now() - again) + 200);
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
