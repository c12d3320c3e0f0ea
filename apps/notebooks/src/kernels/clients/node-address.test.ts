import { describe, expect, it } from '@jest/globals';
import { hostname } from 'node:os';
import { nodeAddress } from './node-address.ts';

describe('the address of a replica', () => {
  it('is where it listens, by the name of its machine when that is everywhere', () => {
    expect(nodeAddress('10.1.2.3:5005')).toBe('10.1.2.3:5005');
    expect(nodeAddress('0.0.0.0:5005')).toBe(`${hostname()}:5005`);
    expect(nodeAddress('127.0.0.1:0')).toBe('');
  });
});
