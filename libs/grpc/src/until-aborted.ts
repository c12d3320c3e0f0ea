/**
 * The messages of a stream until somebody gives it up: then it ends with the signal's reason at once, whatever its source
 * is waiting for, and the source is told that no more is wanted.
 */
export async function* untilAborted<Message>(
  signal: AbortSignal,
  messages: AsyncIterable<Message>,
): AsyncGenerator<Message> {
  const source = messages[Symbol.asyncIterator]();
  // One listener for all messages: to add and to take away one for each would cost more than the message.
  let giveUp: ((reason: Error) => void) | undefined;
  const stop = (): void => giveUp?.(signal.reason as Error);
  signal.addEventListener('abort', stop);
  const next = (): Promise<IteratorResult<Message>> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      giveUp = reject;
      source.next().then(resolve, reject);
    });
  try {
    for (let result = await next(); result.done !== true; result = await next()) yield result.value;
  } finally {
    signal.removeEventListener('abort', stop);
    // Not waited for: a source that hears of it late must not hold anybody.
    source.return?.().catch(() => undefined);
  }
}
