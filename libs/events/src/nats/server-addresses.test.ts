import { describe, expect, it } from '@jest/globals';
import { serverAddresses } from './server-addresses.ts';

describe('the address of NATS', () => {
  it.each([
    ['nats://10.0.0.1:4222', { servers: ['10.0.0.1:4222'] }],
    ['nats.internal', { servers: ['nats.internal'] }],
    ['nats://a:4222, nats://b:4223', { servers: ['a:4222', 'b:4223'] }],
    ['nats://ada:p%40ss@a:4222,nats://b:4222', { servers: ['a:4222', 'b:4222'], user: 'ada', pass: 'p@ss' }],
    ['nats://t0ken@a', { servers: ['a'], token: 't0ken' }],
    ['tls://a:4222', { servers: ['a:4222'], tls: {} }],
  ])('may be %s', (text, expected) => {
    expect(serverAddresses(text)).toEqual(expected);
  });

  it.each(['', 'http://a', 'nats://', 'nats://a,'])('may not be %j', (text) => {
    expect(() => serverAddresses(text)).toThrow('not a NATS address');
  });

  it('is not repeated in the error, for it may hold a password', () => {
    expect(() => serverAddresses('http://ada:secret@a')).toThrow(expect.not.objectContaining({ message: /secret/ }));
  });
});
