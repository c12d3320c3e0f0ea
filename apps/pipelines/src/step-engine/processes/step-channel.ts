import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { lineOf, messageLines } from '../domain/message-lines.ts';
import { STEP_CHANNEL, type StepCommand, type StepMessage } from '../domain/step-messages.ts';

/** More than any report that the program makes; a process that says more is none of ours any more, and is killed. */
const MESSAGE_BYTES = 64 * 2 ** 20;

/** To a process of the step program, which was started with a pipe. */
export interface StepChannel {
  readonly say: (command: StepCommand) => void;
  /** From now on; whoever heard before does not any more. */
  readonly hear: (listener: (message: StepMessage) => void) => void;
  /** The process ends when it has nothing to do. */
  readonly close: () => void;
}

export function stepChannel(child: ChildProcess): StepChannel {
  const pipe = child.stdio[STEP_CHANNEL] as Socket;
  let listener: (message: StepMessage) => void = () => undefined;
  const take = messageLines(MESSAGE_BYTES, (message) => listener(message as StepMessage));
  // A pipe that breaks says nothing that the end of the process does not say.
  pipe.on('error', () => undefined);
  pipe.on('data', (bytes: Buffer) => {
    try {
      take(bytes);
    } catch {
      // First, or it might end by the broken pipe, and in its own way.
      child.kill('SIGKILL');
      pipe.destroy();
    }
  });
  return {
    say: (command) => void pipe.write(lineOf(command)),
    hear: (next) => (listener = next),
    close: () => pipe.destroy(),
  };
}
