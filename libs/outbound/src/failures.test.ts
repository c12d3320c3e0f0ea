import { describe, expect, it } from '@jest/globals';
import { networkErrorCode } from './failures.ts';

const failed = (code: unknown) => Object.assign(new Error('failed'), { code });

describe('the code of a failure of the network', () => {
  it('is that of the system, also of an answer that broke off', () => {
    expect(networkErrorCode(failed('ECONNREFUSED'))).toBe('ECONNREFUSED');
    expect(networkErrorCode(new TypeError('terminated', { cause: failed('UND_ERR_SOCKET') }))).toBe('UND_ERR_SOCKET');
  });

  it('is nothing that somebody else may have written', () => {
    for (const code of ['secret text', 'E CONN', 42, undefined]) expect(networkErrorCode(failed(code))).toBeUndefined();
  });
});
