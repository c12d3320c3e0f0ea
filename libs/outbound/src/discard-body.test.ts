import { expect, it } from '@jest/globals';
import { discardBody } from './discard-body.ts';

it('lets go of a body, also of one that is there no more', async () => {
  const left: unknown[] = [];
  await discardBody(new Response(new ReadableStream({ cancel: () => void left.push('cancelled') })));
  expect(left).toEqual(['cancelled']);
  await discardBody(new Response(null));
  // As of a connection that broke behind the headers: what was answered stands.
  await discardBody(new Response(new ReadableStream({ start: (body) => body.error(new Error('reset')) })));
});
