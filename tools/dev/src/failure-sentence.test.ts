import { describe, expect, it } from '@jest/globals';
import { StartFailure } from '@platform-backend/embedded';
import { failureSentence } from './failure-sentence.ts';

const failure = (output: string): StartFailure =>
  new StartFailure(`billing ended with code 1 before it was ready:\n${output}`, output);

describe('the sentence for a start that failed', () => {
  it('takes the fatal line of a service’s JSON log', () => {
    const output = [
      '{"level":"info","msg":"migrating"}',
      '{"level":"fatal","msg":"billing could not start: NATS_URL is missing"}',
    ].join('\n');
    expect(failureSentence(failure(output))).toBe(
      'billing ended with code 1 before it was ready: billing could not start: NATS_URL is missing',
    );
  });

  it('takes the fatal line of PostgreSQL and NATS', () => {
    expect(failureSentence(failure('LOG: starting\nFATAL:  could not open pg_control\nLOG: bye'))).toBe(
      'billing ended with code 1 before it was ready: could not open pg_control',
    );
    expect(failureSentence(failure('[12] 2026/01/01 [FTL] bind: address already in use'))).toBe(
      'billing ended with code 1 before it was ready: bind: address already in use',
    );
  });

  it('takes the fatal line of MongoDB', () => {
    const lines = [
      '{"s":"I","msg":"starting"}',
      '{"s":"F","msg":"Wrong version of data files"}',
      '{"s":"I","msg":"bye"}',
    ];
    expect(failureSentence(failure(lines.join('\n')))).toBe(
      'billing ended with code 1 before it was ready: Wrong version of data files',
    );
  });

  it('takes the error that Node printed', () => {
    const output =
      'file.ts:3\n  at x(\nSyntaxError [ERR_INVALID]: Unexpected token\n    at parse (node:internal)\n\nNode.js v24';
    expect(failureSentence(failure(output))).toBe(
      'billing ended with code 1 before it was ready: SyntaxError [ERR_INVALID]: Unexpected token',
    );
  });

  it('takes the last line when no line is fatal, and none when there is no output', () => {
    expect(failureSentence(failure('one\ntwo'))).toBe('billing ended with code 1 before it was ready: two');
    expect(failureSentence(new StartFailure('billing did not become ready in time', ''))).toBe(
      'billing did not become ready in time',
    );
  });

  it('is one line whatever was thrown', () => {
    expect(failureSentence(new Error('first\nsecond'))).toBe('first');
    expect(failureSentence('text')).toBe('text');
  });
});
