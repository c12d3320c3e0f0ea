import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { restoreVersion } from '../domain/document-versions.ts';
import { asRead, versionNumberOf, type Document } from '../domain/document.ts';
import { document, KEY, minutesLater, noon } from '../test/document-examples.ts';
import { processDocument, type ProcessingPorts } from './process-document.ts';

const ref = { organisationId: 'org_1', id: 'document-1' };
const by = { type: 'user', id: 'ann', name: 'Ann' };
const nobodyStops = new AbortController().signal;

/** One document with its text and passages, and a process that reads it until it is killed at this of its steps. */
function platformWith(first: Document) {
  let stored = first;
  let now = noon;
  const texts = new Map([[first.objectKey, `text of ${first.objectKey}`]]);
  let found = { title: first.name, text: `text of ${first.objectKey}` };
  let steps = 0;

  const processUntil = async (killedAt: number): Promise<void> => {
    let isKilled = false;
    steps = 0;
    const step = (): void => {
      steps += 1;
      isKilled ||= steps >= killedAt;
      if (isKilled) throw new Error('killed');
    };
    const change: ProcessingPorts['documents']['update'] = (_by, _id, decide) => {
      step();
      const { state, result } = decide(stored);
      stored = state ?? stored;
      return Promise.resolve(result);
    };
    const ports = {
      ...{ leaseMs: 60_000, deadlineMs: 60_000, maxVersions: 20, newId: () => `worker ${killedAt}` },
      clock: { now: () => now },
      logger: createLogger({ service: 'content', level: 'silent' }),
      documents: {
        find: () => {
          step();
          return Promise.resolve(stored);
        },
        update: change,
        updateWithFollowUp: (...[own, id, , decide]: Parameters<ProcessingPorts['documents']['updateWithFollowUp']>) =>
          change(own, id, decide as never),
      },
      texts: {
        put: (_organisation: string, key: string, text: string) => {
          step();
          texts.set(key, text);
          return Promise.resolve();
        },
        remove: () => Promise.resolve(),
      },
      files: {
        withCopy: async (uploaded: { key: string }, _signal: AbortSignal, work: (copy: object) => Promise<unknown>) => {
          step();
          return work({ path: uploaded.key, bytes: 20, checksum: 'sum' });
        },
      },
      extract: ({ path }: { path: string }) => {
        step();
        const read = { text: `text of ${path}`, mediaType: 'text/plain', numTokens: 3, passages: [] };
        return Promise.resolve({ ...read, description: '', detailedDescription: '' });
      },
      passages: {
        replace: async (...[, , , options]: Parameters<ProcessingPorts['passages']['replace']>) => {
          step();
          // A transaction: all of it or nothing.
          const before = stored;
          try {
            const source = await options?.present?.();
            step();
            if (source) found = { title: source.title, text: `text of ${asRead(stored).objectKey}` };
          } catch (error) {
            stored = before;
            throw error;
          }
          step();
        },
        remove: () => Promise.resolve(),
      },
    } as unknown as ProcessingPorts;
    await processDocument(ports, ref, nobodyStops).catch((error: unknown) => {
      if (!isKilled) throw error;
    });
  };

  return {
    processUntil,
    /** What a kill leaves, to those who read and search. */
    shown: () => ({
      ...{ status: stored.status, version: versionNumberOf(stored), text: texts.get(stored.objectKey), found },
      isComing: stored.incoming !== undefined,
    }),
    steps: () => steps,
    later: (minutes: number) => (now = minutesLater(minutes, now)),
  };
}

const withTwo = document({
  ...{ status: 'READY', name: 'new.txt', objectKey: 'second', sizeBytes: 20, checksum: 'sum', nextPollAt: null },
  ...{ current: { number: 2, createdAt: noon, actor: by }, lastVersion: 2 },
  earlier: [
    {
      ...{ number: 1, createdAt: noon, name: 'old.txt', contentType: 'text/plain', mediaType: 'text/plain' },
      ...{ sizeBytes: 10, checksum: 'sum', objectKey: KEY },
    },
  ],
});
const coming = restoreVersion(withTwo, 1, by, noon).state;

describe('a version whose process is killed', () => {
  const before = { status: 'READY', version: 2, text: 'text of second', isComing: true };
  const after = { status: 'READY', version: 3, text: `text of ${KEY}`, isComing: false };
  const foundBefore = { title: 'new.txt', text: 'text of second' };
  const foundAfter = { title: 'old.txt', text: `text of ${KEY}` };

  it('at any of its steps is wholly there or not at all, and comes in the end', async () => {
    const seen = new Set<number>();
    for (let killedAt = 1; ; killedAt += 1) {
      const platform = platformWith(coming);
      await platform.processUntil(killedAt);
      const { version } = platform.shown();
      seen.add(version);
      const isThere = version === 3;
      expect(platform.shown()).toEqual(isThere ? { ...after, found: foundAfter } : { ...before, found: foundBefore });
      const isOver = platform.steps() < killedAt;
      platform.later(2);
      await platform.processUntil(Infinity);
      expect(platform.shown()).toEqual({ ...after, found: foundAfter });
      if (isOver) break;
    }
    expect([...seen]).toEqual([2, 3]);
  });

  it('over and over fails in the end, and the document is what it was', async () => {
    const platform = platformWith(coming);
    for (let time = 0; time < 6; time += 1) {
      await platform.processUntil(4);
      platform.later(2);
    }
    await platform.processUntil(Infinity);
    expect(platform.shown()).toEqual({ ...before, found: foundBefore });
    expect(platform.steps()).toBe(1);
  });
});
