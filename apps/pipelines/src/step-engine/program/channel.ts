/** Messages with whoever started this process. A channel of Node's own would cost it a fifth of its start. */
import { read, writeSync } from 'node:fs';
import { lineOf, messageLines } from '../domain/message-lines.ts';
import { STEP_CHANNEL, type StepCommand, type StepMessage } from '../domain/step-messages.ts';

const BYTES_AT_ONCE = 64 * 1024;

export function say(message: StepMessage): void {
  const bytes = Buffer.from(lineOf(message));
  for (let written = 0; written < bytes.length;) written += writeSync(STEP_CHANNEL, bytes, written);
}

/** Ends the process as soon as nobody is there any more who could say something. */
export function listen(hear: (command: StepCommand) => void): void {
  const take = messageLines(Infinity, (command) => hear(command as StepCommand));
  const next = (): void => {
    const bytes = Buffer.allocUnsafe(BYTES_AT_ONCE);
    read(STEP_CHANNEL, bytes, 0, bytes.length, null, (error, count) => {
      if (error || count === 0) process.exit();
      take(bytes.subarray(0, count));
      next();
    });
  };
  // An orderly end would wait for the thread that reads.
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    process.kill(process.pid, 'SIGKILL');
  });
  next();
}
