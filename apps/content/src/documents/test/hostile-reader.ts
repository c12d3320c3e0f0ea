/**
 * A reader that does what a document says, as one would that a document has taken over: its bytes are the body of an asynchronous
 * function, and what comes of it, or why it was refused, is said to be the document's text.
 */
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { frameOf, nextFrame, takeBytes } from '../extraction/frames.ts';
import { READER_PIPE, type ReadCommand } from '../extraction/messages.ts';

const pipe = new Socket({ fd: READER_PIPE, readable: true, writable: true });
const say = (message: unknown): void => void pipe.write(frameOf(message));

pipe.on('error', () => process.exit());
for (;;) {
  const command = (await nextFrame(pipe, 100_000)) as Exclude<ReadCommand, 'load'> | undefined;
  const code = command && (await takeBytes(pipe, command.bytes));
  if (!code) process.exit();
  // oxlint-disable-next-line typescript/no-implied-eval -- its whole purpose
  const body = new Function('require', 'say', 'pipe', `return (async () => { ${code.toString()} })()`) as (
    ...given: unknown[]
  ) => Promise<unknown>;
  const text = await body(createRequire(import.meta.url), say, pipe).then(
    (value) => JSON.stringify(value ?? null),
    (error: unknown) => `refused: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
  );
  say({ kind: 'text', text });
  const described = { numTokens: 1, description: '', detailedDescription: '' };
  say({ kind: 'done', facts: { mediaType: 'text/plain', ...described } });
}
