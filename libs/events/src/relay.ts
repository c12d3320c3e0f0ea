import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { Logger } from '@platform-backend/core';
import type { AccessLog } from '@platform-backend/core/access-log';
import type { Metrics } from '@platform-backend/core/metrics';
import { once } from 'node:events';
import { EVENT_TYPE } from './cloud-event.ts';
import { outboxMetrics } from './event-metrics.ts';
import { inPublishingSpan } from './event-tracing.ts';
import type { EventBus, Session } from './nats/event-bus.ts';
import { PermanentPublishError, publish } from './nats/publish.ts';
import { EVENT_STREAM } from './nats/streams.ts';
import type { BatchOutcome, Outbox, OutboxMessage, Publishing } from './outbox.ts';
import { backoffMs, pause } from './pause.ts';

export interface RelayOptions {
  outbox: Pick<Outbox, 'publishNext' | 'listen' | 'prune' | 'backlog' | 'republish'>;
  bus: EventBus;
  logger: Logger;
  /** Of one line for each event that was published; its logger unless given. */
  accessLog?: AccessLog | undefined;
  /** Shows what waits in the outbox, and what was set aside. */
  metrics: Metrics;
  /** Events published at once. */
  batchSize?: number;
  /** Batches begin at least this long after each other, so that events come together while there are many. */
  gatherMs?: number;
  /** Looks for events this often even when nothing woke it: what a process that died has left, or was told of in vain. */
  pollMs?: number | (() => number);
  /** With the next look after this it asks whether the stream is still the one that it has published to. */
  streamLookMs?: number;
  /** Published events are kept this long, so that they can be replayed. */
  retentionMs?: number;
  /** Called when the outbox hears of new events, of whichever process. */
  onNotice?: () => void;
  /** How often old events are forgotten, and those set aside are told of. */
  pruneEveryMs?: number;
}

export interface Relay {
  /**
   * Looks for events soon, as it does when the outbox hears of new ones: for writers in this process whose storage does
   * not say so. Should the process die before, another replica finds them at its next look.
   */
  readonly wake: () => void;
  /** Finishes the batch in hand and stops. What is left waits for the next start or another replica. */
  stop(): Promise<void>;
}

const DAY_MS = 86_400_000;
/** A stream may be made anew while the connection lives, and while nothing is published that would fail. */
const STREAM_LOOK_MS = 30_000;
/** Another relay is busy with the earlier events of the same subjects; it takes a few milliseconds. */
const HELD_BACK_PAUSE_MS = 20;

/**
 * Publishes what is in the outbox, from any number of replicas at once. Every event is published at least once;
 * the stream drops repeats within its duplicate window, consumers the rest. Events of one subject reach the stream
 * in their order, except that one whose publishing failed may be overtaken by later ones of the same batch. One that
 * can never be published is set aside, and the others go on; see `setAside`.
 */
export function startRelay(options: RelayOptions): Relay {
  const { outbox, bus, logger, accessLog = logger, metrics, batchSize = 200, gatherMs = 10, pollMs = 5_000 } = options;
  const { retentionMs = 7 * DAY_MS, pruneEveryMs = 600_000, streamLookMs = STREAM_LOOK_MS, onNotice } = options;
  const countSetAside = outboxMetrics(metrics, outbox);
  const countRepublished = metrics.counter(
    'events_republished_total',
    'Events published again to a stream that is new.',
  );
  const countNewStream = metrics.counter(
    'events_new_streams_total',
    'Streams that were found to be newer than what was published: made anew, or lost.',
  );
  const stopping = new AbortController();
  const wake = wakeUp();
  const listening = outbox.listen(() => {
    wake.call();
    onNotice?.();
  });
  /** When the stream was made that all published events are in. */
  let filled: string | undefined;
  const done = Promise.all([relayAll(), pruneNowAndThen()]);

  async function relayAll(): Promise<void> {
    let failures = 0;
    /** In which the stream was looked at, and nothing has failed since. */
    let known: Session | undefined;
    let lookedAt = 0;
    while (!stopping.signal.aborted) {
      // Not while NATS is away: the client would buffer copies of the same batch over and over.
      const session = await bus.ready(stopping.signal);
      if (!session) return;
      let startedAt = 0;
      const relaying = async (): Promise<BatchOutcome> => {
        const isDue = session !== known || performance.now() - lookedAt >= streamLookMs;
        if (isDue && (await republishToNewStream(session))) [known, lookedAt] = [session, performance.now()];
        startedAt = performance.now();
        return relayBatch(session);
      };
      const outcome = await relaying().catch((error: unknown) => {
        if (failures === 0)
          logger.warn({ event: 'events.publish_failed', err: error }, 'events cannot be published now, trying again');
        return undefined;
      });
      if (!outcome || outcome.failed > 0) {
        failures += 1;
        known = undefined;
        await pause(backoffMs(failures), stopping.signal);
        continue;
      }
      if (failures > 0) logger.info('events are published again');
      failures = 0;
      const gone = outcome.published + outcome.setAside;
      if (gone === 0 && outcome.heldBack > 0) await pause(HELD_BACK_PAUSE_MS, stopping.signal);
      else if (gone < batchSize && outcome.heldBack === 0) {
        // A batch that was not full leaves nothing behind: whatever is committed later wakes us.
        await wake.wait(typeof pollMs === 'number' ? pollMs : pollMs(), stopping.signal);
        const early = startedAt + gatherMs - performance.now();
        if (early > 0) await pause(early, stopping.signal);
      }
    }
  }

  /**
   * A stream that is younger than what was published has lost it, or is another server's: consumers that come later would never see it.
   * What is published again is newer than the stream, so that this happens once for each stream, whichever replica sees it first.
   * False where there is no stream: nothing can be published then, which is told of the events themselves.
   */
  async function republishToNewStream({ manager }: Session): Promise<boolean> {
    const stream = await manager.streams.info(EVENT_STREAM).catch((error: unknown) => {
      if (error instanceof JetStreamApiError && error.code === (JetStreamApiCodes.StreamNotFound as number))
        return undefined;
      throw error;
    });
    if (!stream) return false;
    const { created } = stream;
    if (created === filled) return true;
    const events = await outbox.republish(new Date(created));
    filled = created;
    if (events === 0) return true;
    countNewStream();
    for (let event = 0; event < events; event += 1) countRepublished();
    logger.error(
      { event: 'events.stream_new', created, events },
      'the event stream is newer than events that were published: they are published again',
    );
    return true;
  }

  async function relayBatch(session: Session): Promise<BatchOutcome> {
    let failure: unknown;
    let setAside: object[] = [];
    const outcome = await outbox.publishNext(batchSize, async (messages) => {
      const { failures, ...publishing } = await publishAll(session, messages);
      failure = failures[0];
      if (accessLog.isLevelEnabled('info'))
        for (const message of messages)
          if (publishing.published.has(message.id)) accessLog.info(aboutMessage(message), 'an event was published');
      setAside = messages.flatMap(({ id, type, body }) => {
        const reason = publishing.permanentFailures.get(id);
        return reason === undefined ? [] : { eventId: id, type, bytes: Buffer.byteLength(body), reason };
      });
      return publishing;
    });
    for (const facts of setAside) {
      countSetAside();
      logger.error({ event: 'event.set_aside', ...facts }, 'an event can never be published and was set aside');
    }
    if (outcome.failed > 0 && !session.lost.aborted) {
      logger.warn({ event: 'events.rejected', err: failure, ...outcome }, 'some events were not accepted by NATS');
    }
    return outcome;
  }

  async function pruneNowAndThen(): Promise<void> {
    for (;;) {
      await pause(pruneEveryMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await prune().catch((error: unknown) =>
        logger.warn({ event: 'outbox.pruning_failed', err: error }, 'the outbox could not be pruned'),
      );
      await tellOfEventsSetAside().catch((error: unknown) =>
        logger.warn({ event: 'outbox.unreadable', err: error }, 'the outbox cannot be read'),
      );
    }
  }

  /** Again and again, since nobody is served by them until somebody has looked. */
  async function tellOfEventsSetAside(): Promise<void> {
    const { setAside } = await outbox.backlog();
    if (setAside > 0)
      logger.error(
        { event: 'events.set_aside', setAside },
        'events were set aside and wait for somebody to look at them',
      );
  }

  async function prune(): Promise<void> {
    let forgotten: number;
    do {
      forgotten = await outbox.prune(retentionMs);
    } while (forgotten > 0 && !stopping.signal.aborted);
  }

  return {
    wake: wake.call,
    async stop() {
      stopping.abort();
      await listening.close();
      await done;
    },
  };
}

/** With the request that has caused it, as the reactions to it say. */
const aboutMessage = ({ id, type, organisationId, requestId }: OutboxMessage): Readonly<Record<string, string>> => ({
  eventId: id,
  type,
  organisationId,
  ...(typeof requestId === 'string' && { requestId }),
});

/**
 * All at once on one connection, on which the server stores them in this order. When the connection breaks, what is
 * not acknowledged by then counts as failed, without waiting for the time-out of each.
 */
async function publishAll(
  session: Session,
  messages: readonly OutboxMessage[],
): Promise<Publishing & { failures: unknown[] }> {
  const published = new Set<string>();
  const permanentFailures = new Map<string, string>();
  const failures: unknown[] = [];
  // It may have broken while the batch was being read; the event it would wait for below is over then.
  if (session.lost.aborted) return { published, permanentFailures, failures };
  const publishOne = async ({ id, type, body }: OutboxMessage): Promise<void> => {
    try {
      if (!EVENT_TYPE.test(type)) throw new PermanentPublishError(`"${type}" is not an event type`);
      await inPublishingSpan({ id, type, body }, () => publish(session, { subject: type, body, id }));
      published.add(id);
    } catch (error) {
      if (error instanceof PermanentPublishError) permanentFailures.set(id, error.message);
      else failures.push(error);
    }
  };
  const all = Promise.all(messages.map(publishOne));
  const finished = new AbortController();
  await Promise.race([all, once(session.lost, 'abort', { signal: finished.signal }).catch(() => undefined)]);
  finished.abort();
  // What is heard from now on comes too late for this batch.
  return { published: new Set(published), permanentFailures: new Map(permanentFailures), failures };
}

/** A call during work is not lost: the next wait then ends at once. */
function wakeUp(): { call: () => void; wait: (ms: number, signal: AbortSignal) => Promise<void> } {
  let called = false;
  let finishWait: AbortController | undefined;
  return {
    call() {
      called = true;
      // Aborting costs more than all the rest of a call, and there may be one for every change.
      finishWait?.abort();
      finishWait = undefined;
    },
    async wait(ms, signal) {
      if (!called) {
        finishWait = new AbortController();
        await pause(ms, AbortSignal.any([signal, finishWait.signal]));
        finishWait = undefined;
      }
      called = false;
    },
  };
}
