import { describe, expect, it } from '@jest/globals';
import { openApi } from '@platform-backend/contract/http';
import { loadPlatformContract } from '@platform-backend/contracts';
import { createConfig, lintFromString } from '@redocly/openapi-core';

/** What breaks the recommended rules of `redocly lint`, all of which are errors here, and why it stays. */
const EXCEPTIONS: readonly { readonly rule: string; readonly at?: string; readonly why: string }[] = [
  { rule: 'no-path-trailing-slash', why: 'The specification has the slashes, and its paths are exact (D17).' },
  {
    rule: 'operation-2xx-response',
    at: '#/paths/~1notebooks~1services~1session~1api~1kernels~1{kernel_id}~1channels/get/responses',
    why: 'A WebSocket begins with 101, and Jupyter clients ask for it there.',
  },
  {
    rule: 'no-ambiguous-paths',
    at: '#/paths/~1notebooks~1environment~1{name}',
    why: 'Beside the specified `/notebooks/{notebook_id}`; words go before parameters, and no id is `environment`.',
  },
  {
    rule: 'no-ambiguous-paths',
    at: '#/paths/~1notebooks~1{notebook_id}~1file',
    why: 'The same from the other side.',
  },
];

describe('the OpenAPI description by the rules of Redocly', () => {
  it('breaks those alone that something else forces it to break', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      // It takes what another part of a schema allows, as with `if` and `then`, for a name that nobody knows.
      rules: { 'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true } },
    });
    const source = JSON.stringify(openApi(loadPlatformContract()));
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    const found = problems.map(({ ruleId, message, location }) => ({
      rule: ruleId,
      at: location[0]?.pointer,
      message,
    }));
    const isExpected = (problem: { rule: string; at: string | undefined }) =>
      EXCEPTIONS.some(({ rule, at }) => rule === problem.rule && (at === undefined || at === problem.at));
    expect(found.filter((problem) => !isExpected(problem))).toEqual([]);
    const unused = EXCEPTIONS.filter(
      ({ rule, at }) => !found.some((one) => one.rule === rule && (at ?? one.at) === one.at),
    );
    expect(unused).toEqual([]);
  });
});
