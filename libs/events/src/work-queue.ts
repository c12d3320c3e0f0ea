import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import type { Logger } from '@platform-backend/core';
import { takeOne, type ConsumerHandle, type Delivery } from './nats/durable-consumer.ts';
import type { EventBus, Session } from './nats/event-bus.ts';
import { WORK_STREAM, workConsumer, workSubject } from './nats/streams.ts';
import { backoffMs, pause } from './pause.ts';

export interface WorkQueueOptions {
  readonly bus: EventBus;
  readonly logger: Logger;
  /** Whose work it is; replicas of one service share it. */
  readonly service: string;
  readonly name: string;
}

export interface Taker<Taken> {
  /** Most messages that this process works on at the same time. */
  readonly slots: number;
  /**
   * Makes the work this process's own, where it is still to be done; then the message is gone. A failure has it come
   * again. Whoever makes it their own sees to it that it is offered once more should they die. With `othersWait` there are
   * more messages than this one: whoever takes turns may begin other work for it.
   */
  readonly begin: (message: string, othersWait: boolean) => Promise<Taken | undefined>;
  readonly execute: (taken: Taken) => Promise<unknown>;
}

export interface WorkMessage {
  /** What was offered by this id within the window of duplicates (five minutes unless set) is not offered again. */
  readonly id: string;
  readonly text: string;
}

/**
 * Spreads work over the replicas of a service, each message to one of them. What is to be done, and by whom, is recorded
 * elsewhere: a message may come twice, or never when it could not be sent, and whoever offers looks again.
 */
export interface WorkQueue {
  /** Rejected when NATS does not take it. */
  offer(messages: readonly WorkMessage[]): Promise<void>;
  /** How many messages nobody has taken yet. */
  waiting(): Promise<number>;
  /** Ends when what was begun is carried out. */
  take<Taken>(taker: Taker<Taken>): { stop(): Promise<void> };
}

/** The server delivers again what nobody has begun in this time. */
const ACK_WAIT_MS = 30_000;
const AGAIN_AFTER_MS = 1_000;

export function openWorkQueue({ bus, logger, service, name }: WorkQueueOptions): WorkQueue {
  const subject = workSubject(service, name);
  const closed = new AbortController();
  let opened: { session: Session; handle: Promise<ConsumerHandle> } | undefined;

  function handleIn(session: Session): Promise<ConsumerHandle> {
    if (opened?.session !== session) opened = { session, handle: consumerOf(session) };
    return opened.handle;
  }

  async function consumerOf(session: Session): Promise<ConsumerHandle> {
    const consumer = workConsumer(service, name);
    await session.manager.consumers.add(WORK_STREAM, {
      durable_name: consumer,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: ACK_WAIT_MS * 1_000_000,
      max_deliver: -1,
      max_ack_pending: 10_000,
    });
    return session.client.consumers.get(WORK_STREAM, consumer);
  }

  /** An outage is the bus's news; whoever needs it now hears of it at once. */
  async function connected(): Promise<Session> {
    const session = bus.isConnected ? await bus.ready(closed.signal) : undefined;
    if (!session) throw new Error('NATS cannot be reached');
    return session;
  }

  return {
    async offer(messages) {
      const { client } = await connected();
      // Ids are of the stream, which has the queues of all services.
      await Promise.all(messages.map(({ id, text }) => client.publish(subject, text, { msgID: `${subject} ${id}` })));
    },

    async waiting() {
      const info = await (await handleIn(await connected())).info();
      return info.num_pending;
    },

    take({ slots, begin, execute }) {
      const stopping = new AbortController();
      const done = Promise.all(Array.from({ length: slots }, () => work()));

      /** One message at a time. */
      async function work(): Promise<void> {
        let failures = 0;
        for (;;) {
          const session = await bus.ready(stopping.signal);
          if (!session || stopping.signal.aborted) return;
          try {
            const isOver = AbortSignal.any([stopping.signal, session.lost]);
            const delivery = await takeOne(await handleIn(session), isOver);
            failures = 0;
            if (!delivery) continue;
            const taken = await beginOf(delivery);
            if (taken !== undefined) await execute(taken);
          } catch (error) {
            failures += 1;
            opened = undefined;
            if (!session.lost.aborted && failures === 1) {
              logger.warn(
                { event: 'work_queue.failed', err: error, queue: name },
                'work cannot be received or carried out, trying again',
              );
            }
            await pause(backoffMs(failures), stopping.signal);
          }
        }
      }

      async function beginOf(delivery: Delivery) {
        try {
          const taken = await begin(delivery.string(), delivery.info.pending > 0);
          delivery.ack();
          return taken;
        } catch (error) {
          logger.warn(
            { event: 'work_queue.start_failed', err: error, queue: name },
            'work could not be begun, trying again later',
          );
          delivery.nak(AGAIN_AFTER_MS);
          return undefined;
        }
      }

      return {
        async stop() {
          stopping.abort();
          await done;
        },
      };
    },
  };
}
