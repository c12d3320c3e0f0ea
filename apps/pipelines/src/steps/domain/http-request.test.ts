import { describe, expect, it } from '@jest/globals';
import {
  bodyBytes,
  bodyOf,
  headerProblem,
  idempotencyKeyOf,
  rowsQuery,
  shapeQuery,
  isServerFixed,
  urlOf,
} from './http-request.ts';

describe('what an HTTP step sends', () => {
  const values = {
    rows: '[{"name":"{{run_id}}"}]',
    runId: 'run_1',
    parameters: { day: '2026-07-01' },
    step: 'tell "them"',
  };

  it('is its body with the rows, the run and the step in it, and nothing of the rows is a placeholder', () => {
    const body = '{"run": "{{run_id}}", "by": {{ step }}, "rows": {{rows}}, "else": "{{other}}"}';
    expect(bodyOf({ body }, values)).toBe(
      '{"run": "run_1", "by": "tell \\"them\\"", "rows": [{"name":"{{run_id}}"}], "else": "{{other}}"}',
    );
  });

  it('is the rows where there is no body, and nothing where there are none', () => {
    expect(bodyOf({ body: '' }, values)).toBe(values.rows);
    expect(bodyOf({ body: '' }, { ...values, rows: undefined })).toBeUndefined();
  });

  it('is measured before it is made, as a body may ask for the rows thousands of times', () => {
    for (const body of ['', 'ü', '{{ rows }} {{step}} {{run_id}} {{rows}} {{other}} ü']) {
      const given = { ...values, rows: '[{"name":"Jürgen"}]' };
      expect(bodyBytes({ body }, given)).toBe(Buffer.byteLength(bodyOf({ body }, given) ?? ''));
    }
    expect(bodyBytes({ body: '' }, { ...values, rows: undefined })).toBe(0);
    expect(bodyBytes({ body: '{{rows}}'.repeat(6_000) }, { ...values, rows: 'x'.repeat(2 ** 20) })).toBe(
      6_000 * 2 ** 20,
    );
  });

  it('bears the same key in all attempts of a step, and another one in every other step and run', () => {
    expect(idempotencyKeyOf('run_1', 0)).toBe(idempotencyKeyOf('run_1', 0));
    expect(
      new Set([idempotencyKeyOf('run_1', 0), idempotencyKeyOf('run_1', 1), idempotencyKeyOf('run_2', 0)]).size,
    ).toBe(3);
  });

  it.each([
    ['Authorization', 'Bearer 1', undefined],
    ['Host', 'elsewhere', 'this header is set by the platform'],
    ['idempotency-key', '1', 'this header is set by the platform'],
    ['a b', '1', 'this is no name of a header'],
    ['X-A', '1\r\nX-B: 2', 'its value holds characters that no header may have'],
  ])('may have the header %s: %j', (name, value, problem) => {
    expect(headerProblem(name, value)).toBe(problem);
  });
});

it('the rows of an answer lie where their path says, whatever its names are', () => {
  expect(rowsQuery({ rowsPath: '' }, 'answer')).toBe('SELECT * FROM answer');
  expect(rowsQuery({ rowsPath: 'data.the "items"' }, 'answer')).toBe(
    'SELECT unnest(entry) FROM (SELECT unnest("data"."the ""items""") AS entry FROM answer)',
  );
  expect(shapeQuery({ rowsPath: "data.a/b~c'd" }, 'answer')).toContain("json_extract(json, '/data/a~1b~0c''d')");
});

describe('the URL of a call', () => {
  const parameters = { day: '2026-07-01', who: 'a/b?c#d&e', dots: '..', none: null, count: 3 };

  it.each([
    ['https://x.example/a?day={{parameters.day}}&n={{ parameters.count }}', 'https://x.example/a?day=2026-07-01&n=3'],
    ['https://x.example/{{parameters.who}}/b', 'https://x.example/a%2Fb%3Fc%23d%26e/b'],
    ['https://x.example/a?q={{parameters.none}}', 'https://x.example/a?q='],
    ['https://x.example/a', 'https://x.example/a'],
    ['https://x.example/a/{{parameters.dots}}/b', undefined],
    ['https://x.example/{{parameters.dots}}', undefined],
    ['https://x.example/a/{{parameters.none}}', undefined],
  ])('has its parameters as pieces of it, and leads nowhere else: %s', (template, url) => {
    expect(urlOf(template, parameters)).toBe(url);
  });

  it('has none in the name of its server', () => {
    const templates = [
      'https://{{parameters.who}}/',
      'https://x.example{{parameters.who}}',
      'https://u:{{parameters.who}}@x.example/',
    ];
    expect([...templates, 'https://x.example/{{parameters.who}}'].map(isServerFixed)).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });
});
