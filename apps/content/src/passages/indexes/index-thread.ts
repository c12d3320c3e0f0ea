import { unavailable } from '@platform-backend/core';
import { Worker } from 'node:worker_threads';
import type { IndexReply, IndexRequest } from './index-worker.ts';

export interface IndexThread {
  readonly ask: (request: IndexRequest) => Promise<IndexReply>;
  /** Counts the threads there were: what an earlier one knew is gone. */
  readonly generation: () => number;
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly resolve: (reply: IndexReply) => void;
  readonly reject: (error: unknown) => void;
}

type Answer = { readonly id: number } & ({ readonly reply: IndexReply } | { readonly error: unknown });

/**
 * One thread with all indexes, so that neither reading texts into them nor comparing vectors holds up the service. It is there
 * from the first question on. Where it dies, whoever waits hears `unavailable`, and the next question has another one.
 */
export function indexThread(): IndexThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let generation = 0;
  let asked = 0;
  let closed = false;

  const start = (): Worker => {
    const started = new Worker(new URL('index-worker.ts', import.meta.url));
    // What waits keeps the process alive; the thread does not.
    started.unref();
    generation += 1;
    const ended = (cause: unknown): void => {
      if (worker !== started) return;
      worker = undefined;
      generation += 1;
      for (const { reject } of waiting.values()) reject(unavailable(cause));
      waiting.clear();
    };
    started.on('message', (answer: Answer) => {
      const one = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('reply' in answer) one?.resolve(answer.reply);
      else one?.reject(answer.error);
    });
    started.on('error', ended);
    started.on('exit', (code) => ended(new Error(`the thread of the search ended with ${String(code)}`)));
    return started;
  };

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (closed) throw unavailable(new Error('the service stops'));
        worker ??= start();
        asked += 1;
        waiting.set(asked, { resolve, reject });
        worker.postMessage({ id: asked, request });
      }),
    generation: () => generation,
    close: async () => {
      closed = true;
      await worker?.terminate();
    },
  };
}
