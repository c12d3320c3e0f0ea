import { describe, expect, it } from '@jest/globals';
import { DomainError, notFound, unauthenticated, unavailable } from '@platform-backend/core';
import {
  methodNotAllowed,
  NOT_FOUND,
  problemEvent,
  problemIn,
  problemOf,
  refusedInput,
  renderProblem,
  type Problem,
} from './problem.ts';

describe('the problem of an error', () => {
  it('says nothing about a defect of ours', () => {
    expect(problemOf(new TypeError('secret'))).toEqual({
      status: 500,
      code: 'internal',
      detail: 'Internal Server Error',
      headers: [],
    });
  });

  it('keeps the code and the public text of a refusal', () => {
    expect(problemOf(notFound('Client group'))).toMatchObject({
      status: 404,
      code: 'client_group_not_found',
      detail: 'Client group not found',
    });
  });

  it('challenges with 401 and says when to come back with 429, 503 and 504', () => {
    expect(problemOf(unauthenticated()).headers).toEqual(['WWW-Authenticate', 'Bearer']);
    expect(problemOf(unavailable(undefined, 3)).headers).toEqual(['Retry-After', '3']);
    for (const kind of ['rate_limited', 'unavailable', 'deadline_exceeded', 'not_provided'] as const)
      expect(problemOf(new DomainError({ kind })).headers).toEqual(['Retry-After', '1']);
  });
});

describe('the answer about what was begun and is not over', () => {
  const related = { account_id: '018e' };
  const pending = { id: '018f', state: 'PENDING', location: '/credits/purchases/018f/', related };
  const begun = problemOf(
    new DomainError({ kind: 'accepted', code: 'not_paid_yet', message: 'Not paid yet', retryAfterSeconds: 5, pending }),
  );

  it('is a 202 that says what it is, and where and when to ask', () => {
    expect(begun).toMatchObject({
      status: 202,
      headers: ['Retry-After', '5', 'Location', '/credits/purchases/018f/'],
    });
    for (const accept of [undefined, 'application/problem+json']) {
      expect(renderProblem(begun, accept, 'id')).toEqual({
        contentType: 'application/json',
        body: JSON.stringify({ detail: 'Not paid yet', code: 'not_paid_yet', ...pending }),
      });
    }
  });
});

describe('rendering a problem', () => {
  it('says it as one message where the clients of an operation read that', () => {
    const rules = [{ type: 'missing', loc: ['body', 'name'], msg: 'Field required' }];
    const asMessage = { messageErrors: true, openAi: false };
    const bodyOf = (detail: string | typeof rules) =>
      JSON.parse(
        renderProblem({ status: 422, code: 'c', detail, headers: [] }, undefined, 'r', asMessage).body,
      ) as unknown;
    expect(bodyOf('Kernel not found')).toEqual({ message: 'Kernel not found', reason: null, code: 'c' });
    expect(bodyOf(rules)).toEqual({ message: 'body.name: Field required', reason: null, code: 'c' });
  });

  it('says it as OpenAI does where its clients ask, with a name and a status that they know', () => {
    const openAi = { messageErrors: false, openAi: true };
    const said = (found: Problem) => {
      const told = problemIn(found, openAi);
      return [told.status, JSON.parse(renderProblem(told, 'application/problem+json', 'r', openAi).body) as unknown];
    };
    const violations = [
      { type: 'missing', loc: ['body', 'messages', 0, 'role'], msg: 'Field required' },
      { type: 'extra_forbidden', loc: ['body', 'modle'], msg: 'No such name' },
    ];
    expect(said(problemOf(new DomainError({ kind: 'invalid', violations })))).toEqual([
      400,
      {
        error: {
          message: 'messages[0].role: Field required; modle: No such name',
          type: 'invalid_request_error',
          param: 'messages[0].role',
          code: 'missing_required_parameter',
        },
      },
    ]);
    const error = (message: string, type: string, code: string) => ({ error: { message, type, param: null, code } });
    expect(said(problemOf(notFound('Report')))).toEqual([
      404,
      error('Report not found', 'invalid_request_error', 'report_not_found'),
    ]);
    expect(said(problemOf(unauthenticated('invalid_token', 'No')))).toEqual([
      401,
      error('No', 'authentication_error', 'invalid_api_key'),
    ]);
    expect(said(problemOf(new DomainError({ kind: 'payment_required' })))).toEqual([
      402,
      error('Credit limit reached', 'insufficient_quota', 'insufficient_quota'),
    ]);
    expect(said(problemOf(new DomainError({ kind: 'rate_limited' })))).toEqual([
      429,
      error('Too many requests', 'rate_limit_error', 'rate_limit_exceeded'),
    ]);
    expect(problemEvent(problemOf(unavailable(undefined)), 'r', openAi)).toBe(
      `data: ${JSON.stringify(error('Service Unavailable', 'server_error', 'unavailable'))}\n\n`,
    );
  });

  const problem = problemOf(notFound('Report'));

  it('is the short form unless the client asks for the other', () => {
    const refused = ['application/problem+json;q=0', 'application/problem+json ; q=0.000, */*'];
    for (const accept of [undefined, '*/*', 'application/json', 'text/html', ...refused]) {
      expect(renderProblem(problem, accept, 'id')).toEqual({
        contentType: 'application/json',
        body: '{"detail":"Report not found","code":"report_not_found"}',
      });
    }
  });

  it('has the detail alone where the original service answers by itself', () => {
    const bodyOf = (found: Problem) => renderProblem(found, undefined, 'id').body;
    expect(bodyOf(problemOf(unauthenticated()))).toBe('{"detail":"Not authenticated"}');
    expect(bodyOf(NOT_FOUND)).toBe('{"detail":"Not Found"}');
    expect(bodyOf(methodNotAllowed('GET'))).toBe('{"detail":"Method Not Allowed"}');
    const unread = 'There was an error parsing the body';
    expect(bodyOf(refusedInput(400, unread))).toBe(`{"detail":"${unread}"}`);
    const invalidToken = problemOf(unauthenticated('invalid_token', 'Invalid or expired token'));
    expect(bodyOf(invalidToken)).toBe('{"detail":"Invalid or expired token","code":"invalid_token"}');
  });

  it('carries the same facts as a problem document', () => {
    const { contentType, body } = renderProblem(problem, 'application/json;q=0.5, Application/Problem+JSON', 'id');
    expect(contentType).toBe('application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status: 404, code: 'report_not_found', detail: 'Report not found' });
  });

  it('keeps the broken rules apart from the sentence in a problem document', () => {
    const violations = [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }];
    const broken = problemOf(new DomainError({ kind: 'invalid', violations }));
    expect(JSON.parse(renderProblem(broken, undefined, 'id').body)).toEqual({ detail: violations });
    const document = JSON.parse(renderProblem(broken, 'application/problem+json', 'id').body) as object;
    expect(document).toMatchObject({ errors: violations, detail: 'The request breaks rules' });
  });
});
