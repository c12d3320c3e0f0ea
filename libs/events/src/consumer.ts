import { inRequest, isUnavailable, type Fields, type Logger } from '@platform-backend/core';
import type { Metrics } from '@platform-backend/core/metrics';
import { parseCloudEvent } from './cloud-event.ts';
import { deadLetter } from './dead-letters.ts';
import { consumerMetrics } from './event-metrics.ts';
import { inReactionSpan } from './event-tracing.ts';
import type { DeliveredEvent } from './event.ts';
import { durableConsumer, keepAlive, takeOne, type ConsumerHandle, type Delivery } from './nats/durable-consumer.ts';
import type { EventBus, Session } from './nats/event-bus.ts';
import { PermanentPublishError } from './nats/publish.ts';
import { backoffMs, pause } from './pause.ts';

export interface ConsumerOptions<Data extends Fields = Fields> {
  bus: EventBus;
  logger: Logger;
  /** Shows how far the consumer lags behind, and what it gave up. */
  metrics: Metrics;
  /** `<service>-<reaction>`, such as `billing-on-run-finished`. Replicas with one name share the events. */
  name: string;
  /** An event type, or a pattern with `*` for one word: `platform.v1.billing.credits.*`. */
  on: string;
  /** Reacts to one event. May see it more than once unless wrapped in `oncePerEvent`, and may see a later one before. */
  react: (event: DeliveredEvent<Data>) => Promise<void>;
  /** Where it starts when it has never run before. The beginning, unless the past is of no interest. */
  from?: 'beginning' | 'now';
  /** Events handled at the same time by this process; 1 keeps them in order as long as none fails. */
  maxInFlight?: number;
  /** After so many deliveries an event is stored aside as a dead letter. */
  maxDeliveries?: number;
  /** The pauses between deliveries; the last one is repeated. */
  retryDelaysMs?: readonly number[];
  /** The server delivers an event again when its consumer died without a word for so long. */
  ackWaitMs?: number;
  /** How long a request for an event waits at the server; a second at least. */
  askMs?: number;
  /** How long one delivery may wait for something that is away, such as the service's own database. */
  timeoutMs?: number;
}

export interface Consumer {
  /** Takes no more events, finishes those in hand, and resolves. */
  stop(): Promise<void>;
}

/** Thrown by a reaction when no repetition can help: the event is stored aside at once. */
export class PermanentEventError extends Error {
  override readonly name = 'PermanentEventError';
}

/** Beyond so many that wait, workers wait as well: then everything is away, most likely. */
const MAX_PARKED = 200;

/** Durable names may hold neither dots nor spaces; ours say service and reaction. */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/;

/**
 * Delivers every event of a kind at least once to one of the replicas. Success is acknowledged; a failure is
 * delivered again after a growing pause, and after `maxDeliveries` kept as a dead letter with its reason.
 */
export function startConsumer<Data extends Fields>(options: ConsumerOptions<Data>): Consumer {
  const { bus, name, on, react, from = 'beginning', maxInFlight = 16, maxDeliveries = 5 } = options;
  const { retryDelaysMs = [1_000, 5_000, 30_000, 120_000], ackWaitMs = 30_000, timeoutMs = 900_000, askMs } = options;
  if (!NAME.test(name)) throw new Error(`"${name}" is not a consumer name (service-reaction)`);
  const logger = options.logger.child({ consumer: name });
  const countDeadLetter = consumerMetrics(options.metrics, bus, name);
  const stopping = new AbortController();
  let troubled = false;
  let opened: { session: Session; handle: Promise<ConsumerHandle> } | undefined;
  /** Events that wait for something that is away, while their workers are at others. */
  const parked = new Set<Promise<void>>();
  const working = new Set<Promise<void>>();
  let workers = 0;
  /** Of the workers, those that wait for an event, and not for the end of one. */
  let asking = 0;
  addWorkers(1);

  /** All work while events come; then one of those that have none waits for the next. */
  function addWorkers(upTo: number): void {
    for (; workers < upTo && !stopping.signal.aborted; workers += 1) {
      const one = work().finally(() => working.delete(one));
      working.add(one);
    }
  }

  /** One event at a time; as many workers as events in flight, so none waits in a buffer while its time runs out. */
  async function work(): Promise<void> {
    let failures = 0;
    for (;;) {
      const session = await bus.ready(stopping.signal);
      if (!session || stopping.signal.aborted) return;
      try {
        const delivery = await askForOne(session);
        if (delivery) {
          addWorkers(maxInFlight);
          await handleOrPark(session, delivery);
        }
        failures = 0;
        reportTrouble(undefined);
        // Those that are at an event for long are no reason to let the next ones wait.
        if (!delivery && asking > 0) {
          workers -= 1;
          return;
        }
      } catch (error) {
        failures += 1;
        opened = undefined;
        // Losing the connection is the bus's news.
        if (!session.lost.aborted) reportTrouble(error);
        await pause(backoffMs(failures), stopping.signal);
      }
    }
  }

  async function askForOne(session: Session): Promise<Delivery | undefined> {
    asking += 1;
    try {
      // What was asked on a connection that is lost would be waited for in vain.
      const isOver = AbortSignal.any([stopping.signal, session.lost]);
      return await takeOne(await handleIn(session), isOver, askMs);
    } finally {
      asking -= 1;
    }
  }

  /** Once for all workers: an outage is one line when it begins and one when it ends. */
  function reportTrouble(error: unknown): void {
    if (error !== undefined && !troubled)
      logger.warn({ event: 'events.receive_failed', err: error }, 'events cannot be received, trying again');
    if (error === undefined && troubled) logger.info('events are received again');
    troubled = error !== undefined;
  }

  function handleIn(session: Session): Promise<ConsumerHandle> {
    if (opened?.session !== session) {
      opened = { session, handle: durableConsumer(session, { name, subject: on, from, ackWaitMs }) };
    }
    return opened.handle;
  }

  /** Until it is handled, or waits for something that is away: others may not need that, and have the worker then. */
  async function handleOrPark(session: Session, delivery: Delivery): Promise<void> {
    const waiting = Promise.withResolvers<undefined>();
    const handling = handle(session, delivery, () => {
      // A single worker keeps events in their order.
      if (maxInFlight > 1 && parked.size < MAX_PARKED) waiting.resolve(undefined);
    });
    const isHandled = await Promise.race([handling.then(() => true), waiting.promise.then(() => false)]);
    if (isHandled) return;
    const later = handling.catch((error: unknown) => {
      if (!session.lost.aborted) reportTrouble(error);
    });
    parked.add(later);
    void later.then(() => parked.delete(later));
  }

  async function handle(session: Session, delivery: Delivery, waits: () => void): Promise<void> {
    const letGo = keepAlive(session, delivery, ackWaitMs / 3);
    try {
      const failure = await attempt(delivery, waits);
      if (failure === undefined) delivery.ack();
      else await refuse(session, delivery, failure);
    } finally {
      letGo();
    }
  }

  /** Undefined when it went well. */
  async function attempt(delivery: Delivery, waits: () => void): Promise<unknown> {
    // Nothing was heard of its last attempt: the process died, most likely of it.
    if (delivery.info.deliveryCount > maxDeliveries) {
      return new PermanentEventError(`no attempt came to an end in ${maxDeliveries} deliveries`);
    }
    let event: DeliveredEvent<Data>;
    try {
      event = parseCloudEvent(delivery.string()) as DeliveredEvent<Data>;
    } catch (error) {
      return new PermanentEventError(`not an event: ${messageOf(error)}`, { cause: error });
    }
    const handle = async (): Promise<void> => {
      const failure = await reactPatiently(event, waits);
      if (failure !== undefined)
        throw failure instanceof Error ? failure : new Error(messageOf(failure), { cause: failure });
    };
    const handled = inReactionSpan(name, event, () =>
      event.requestId === undefined ? handle() : inRequest(event.requestId, handle),
    );
    return handled.then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  /**
   * What is away is no fault of the event, and the other events need it too: waiting here keeps an outage
   * from using up the deliveries of every event in the stream.
   */
  async function reactPatiently(event: DeliveredEvent<Data>, waits: () => void): Promise<unknown> {
    const begunAt = performance.now();
    const deadline = begunAt + timeoutMs;
    for (let failures = 1; ; failures += 1) {
      try {
        await react(event);
        logger.info({ ...about(event), durationMs: Math.round(performance.now() - begunAt) }, 'an event was handled');
        return undefined;
      } catch (error) {
        const wait = backoffMs(failures, 200, 5_000);
        if (!isUnavailable(error) || stopping.signal.aborted || performance.now() + wait > deadline) {
          return error ?? new Error('the reaction failed without a reason');
        }
        if (failures === 1)
          logger.warn(
            { event: 'event.dependency_unavailable', err: error, ...about(event) },
            'something needed is away, waiting',
          );
        waits();
        await pause(wait, stopping.signal);
      }
    }
  }

  async function refuse(session: Session, delivery: Delivery, failure: unknown): Promise<void> {
    const { deliveryCount } = delivery.info;
    const sent = { sequence: delivery.seq, type: delivery.subject, delivery: deliveryCount };
    const facts = { err: failure, ...sent, ...aboutDelivery(delivery) };
    if (deliveryCount < maxDeliveries && !(failure instanceof PermanentEventError)) {
      const pauseMs = retryDelaysMs[deliveryCount - 1] ?? retryDelaysMs.at(-1) ?? 0;
      logger.warn(
        { event: 'event.handling_failed', ...facts, pauseMs },
        'an event could not be handled, trying again later',
      );
      delivery.nak(pauseMs);
      return;
    }
    try {
      await deadLetter(session, delivery, name, messageOf(failure));
      countDeadLetter();
      logger.error({ event: 'event.dead_lettered', ...facts }, 'an event was given up and stored aside');
    } catch (error) {
      if (!(error instanceof PermanentPublishError)) throw error;
      logger.error(
        { event: 'event.given_up', ...facts },
        'an event was given up; it is too large to be stored aside and stays in the stream until it is too old',
      );
    }
    // Without the reason, which servers before 2.10 do not understand: they would take no notice.
    delivery.term();
  }

  return {
    async stop() {
      stopping.abort();
      await Promise.all(working);
      await Promise.all(parked);
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What can be said of an event that may be none. */
function aboutDelivery(delivery: Delivery): Record<string, string> {
  try {
    return about(parseCloudEvent(delivery.string()));
  } catch {
    return {};
  }
}

const about = ({ id, type, organisationId, requestId }: DeliveredEvent): Record<string, string> => ({
  eventId: id,
  type,
  organisationId,
  ...(requestId !== undefined && { requestId }),
});
