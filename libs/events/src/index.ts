export { openBroadcast, type Broadcast, type BroadcastOptions } from './broadcast.ts';
export { encodeEvent, parseCloudEvent, toCloudEvent } from './cloud-event.ts';
export { PermanentEventError, startConsumer, type Consumer, type ConsumerOptions } from './consumer.ts';
export {
  discardDeadLetters,
  listDeadLetters,
  returnDeadLetters,
  type DeadLetter,
  type DeadLetterChoice,
} from './dead-letters.ts';
export { isOf, outgoingEvents, publishedEvent, type DeliveredEvent, type Event } from './event.ts';
export { eventsCommand, eventsUsage } from './events-command.ts';
export type { Effect, Inbox, RepeatableEffect } from './inbox.ts';
export type { EventAccess } from './nats/event-access.ts';
export { openEventBus, type EventBus } from './nats/event-bus.ts';
export { onOrganisationDeleted, type RemoveAll } from './on-organisation-deleted.ts';
export type { Backlog, BatchOutcome, EventRange, EventSetAside, Outbox, OutboxMessage, Publishing } from './outbox.ts';
export { startReaction } from './reaction.ts';
export { startRelay, type Relay, type RelayOptions } from './relay.ts';
export { replayOutbox } from './replay.ts';
export { subscribe, type Subscription, type SubscriptionOptions } from './subscribe.ts';
export { openWorkQueue, type Taker, type WorkMessage, type WorkQueue, type WorkQueueOptions } from './work-queue.ts';
