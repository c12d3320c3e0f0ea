import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { stepChannel } from '../processes/step-channel.ts';

/** A process that says this over the channel, until nobody listens any more. */
function processThatSays(expression: string) {
  const program = `const { writeSync } = require('node:fs'); for (;;) writeSync(4, ${expression});`;
  return spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'pipe'] });
}

describe('the channel of a step process', () => {
  it.each([
    ['a message without an end', "'x'.repeat(2 ** 20)"],
    ['what is no message', "'no JSON\\n'"],
  ])('ends a process that says %s', async (_, expression) => {
    const child = processThatSays(expression);
    stepChannel(child);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('breaks when its process cannot do anything about that any more', async () => {
    const child = processThatSays("'no JSON\\n'");
    const pipe = child.stdio[4] as Socket;
    const destroy = pipe.destroy.bind(pipe);
    pipe.destroy = () => {
      destroy();
      // As on a machine that has others to run first.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
      return pipe;
    };
    stepChannel(child);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});
