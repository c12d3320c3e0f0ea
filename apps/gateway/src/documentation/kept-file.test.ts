import { describe, expect, it } from '@jest/globals';
import { takesGzip } from './kept-file.ts';

describe('the encodings that a client takes', () => {
  it.each(['gzip', 'deflate, gzip;q=1.0, *;q=0.5', 'GZIP', '*', 'br, *;q=0.1', 'gzip ; q=0.001'])(
    '%s: gzip',
    (accepted) => {
      expect(takesGzip(accepted)).toBe(true);
    },
  );

  it.each([undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.000, *', '*;q=0', 'x-gzip-2'])(
    '%s: no gzip',
    (accepted) => {
      expect(takesGzip(accepted)).toBe(false);
    },
  );
});
