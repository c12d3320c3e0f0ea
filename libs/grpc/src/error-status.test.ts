import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@platform-backend/core';
import { errorFromStatus, errorOfChange, statusFromError } from './error-status.ts';
import { draining } from './errors.ts';

const bare = (code: status, details: string) => errorFromStatus({ code, details, metadata: new Metadata() });

describe('a change whose connection was lost', () => {
  it.each([
    ['in its midst', status.UNAVAILABLE, 'Connection dropped'],
    ['by a reset', status.UNAVAILABLE, 'read ECONNRESET'],
    ['as a proxy has it', status.CANCELLED, 'Received RST_STREAM with code 8'],
  ])('%s may have been done', (_, code, details) => {
    expect(errorOfChange(bare(code, details))).toMatchObject({
      kind: 'unavailable',
      code: 'outcome_unknown',
      retryAfterSeconds: 1,
    });
  });

  it('was not done where it reached nobody, or where the service says so itself', () => {
    const refused = errorFromStatus(statusFromError(draining()));
    for (const [error, code] of [
      [bare(status.UNAVAILABLE, 'No connection established. Last error: ECONNREFUSED'), 'unavailable'],
      [bare(status.UNIMPLEMENTED, 'unknown method'), 'unavailable'],
      [unavailable(new Error('no connection in time')), 'unavailable'],
      [refused, 'draining'],
      [bare(status.DEADLINE_EXCEEDED, 'Deadline exceeded'), 'deadline_exceeded'],
    ] as const)
      expect(errorOfChange(error)).toMatchObject({ code });
    expect(errorOfChange('something else')).toBe('something else');
  });
});
