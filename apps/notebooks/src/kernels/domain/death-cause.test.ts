import { describe, expect, it } from '@jest/globals';
import { deathCause } from './death-cause.ts';

describe('the reason for which a kernel has ended by itself', () => {
  it.each([
    ['It held more than 512 MiB of memory', 'memory'],
    ['It called deeper than there is room for', 'recursion'],
    ['It did not stop when it was interrupted, and is begun again', 'unstoppable'],
    ['Its process ended (SIGKILL): It held more than 1 MiB of memory', 'process'],
    ['It sent what is no message', 'protocol'],
    ['The connection to its server is lost', 'server'],
    ['It could not be started again: no', 'restart'],
    ['what nobody knows', 'other'],
  ])('is counted by a word: %s', (reason, cause) => expect(deathCause(reason)).toBe(cause));
});
