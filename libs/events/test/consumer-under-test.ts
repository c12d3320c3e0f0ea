import { afterEach, beforeEach } from '@jest/globals';
import { createMetrics } from '@platform-backend/core/metrics';
import { waitFor } from '@platform-backend/testing';
import { startConsumer, toCloudEvent, type Consumer, type ConsumerOptions } from '../src/index.ts';
import { BORROWED, borrowed, deliverAgain, openLibrary, quiet, type Library, unfinishedOf } from './suite/index.ts';

export let library: Library;

beforeEach(async () => {
  library = await openLibrary();
});

afterEach(() => library.close());

export const NAME = 'library-on-book-borrowed';
export const fast = { logger: quiet, name: NAME, on: BORROWED, retryDelaysMs: [5, 10] };

export const consume = (reaction: ConsumerOptions['react'], options: Partial<ConsumerOptions> = {}): Consumer =>
  library.stopLater(
    startConsumer({ ...fast, metrics: createMetrics(), bus: library.bus, react: reaction, ...options }),
  );

export const publish = (subject: string, id?: string): Promise<void> =>
  deliverAgain(library.bus, toCloudEvent(borrowed(subject, id === undefined ? {} : { id })));

export const unfinished = (): Promise<number> => unfinishedOf(library.bus, NAME);

export const finished = (): Promise<unknown> =>
  waitFor(async () => (await unfinished()) === 0, { what: 'the consumer to finish' });
