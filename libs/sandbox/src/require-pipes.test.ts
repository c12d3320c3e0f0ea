import { expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { requirePipes } from './require-pipes.ts';

it('a guest without room for its pipes is an error by its name, and its own one ends nobody', () => {
  // As Node leaves one that it could not start with EMFILE.
  const guest = new EventEmitter() as EventEmitter & { stdio?: unknown };
  expect(() => requirePipes(guest as never)).toThrow(expect.objectContaining({ code: 'EMFILE' }));
  expect(guest.emit('error', new Error('spawn EMFILE'))).toBe(true);
});

it('is one otherwise', () => {
  const guest = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  expect(() => requirePipes(guest)).not.toThrow();
});
