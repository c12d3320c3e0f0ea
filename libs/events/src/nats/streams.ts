import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';

/** Every event of the platform. */
export const EVENT_STREAM = 'PLATFORM_EVENTS';
const EVENT_SUBJECTS = 'platform.v1.>';
/** Deliveries that were given up, one subject per consumer. */
export const DEAD_STREAM = 'PLATFORM_DEAD';
/** Where the dead letters of a consumer are; of all with `>`. */
export const deadSubject = (consumer: string): string => `platform.dead.${consumer}`;
/** Work that waits for one of the replicas of its service; gone when somebody has begun it. */
export const WORK_STREAM = 'PLATFORM_WORK';
export const workSubject = (service: string, queue: string): string => `platform.work.${service}.${queue}`;
export const workConsumer = (service: string, queue: string): string => `${service}-${queue}`;

/** What the processes of one service tell each other; kept nowhere. The last word is the process that says it. */
export const broadcastSubject = (service: string, topic: string, sender = '*'): string =>
  `platform.broadcast.${service}.${topic}.${sender}`;

/** What is kept, and for how long. */
export interface StreamLimits {
  /** Days an event stays in the stream for consumers that are away. */
  eventDays?: number;
  /** Days a dead letter waits to be looked at. */
  deadLetterDays?: number;
  /** Upper limit of the event stream; the oldest events go first. Unlimited by default, bounded by age. */
  maxBytes?: number;
  /** How long a repeated event id is recognised. Longer costs the server memory per event. */
  duplicateWindowSeconds?: number;
  /** Copies that a cluster keeps, 1 to 5. Absent: as they are; a new stream gets one. */
  replicas?: number | undefined;
}

const NANOSECONDS_PER_SECOND = 1_000_000_000;
const days = (count: number): number => count * 86_400 * NANOSECONDS_PER_SECOND;

/** Creates the streams, or brings existing ones to these limits. Doing it again, or in parallel, changes nothing. */
export async function ensureStreams(manager: JetStreamManager, limits: StreamLimits): Promise<void> {
  const { eventDays = 7, deadLetterDays = 30, maxBytes = -1, duplicateWindowSeconds = 300, replicas } = limits;
  // Only what NATS 2.9 knows.
  const common = {
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    duplicate_window: duplicateWindowSeconds * NANOSECONDS_PER_SECOND,
    ...(replicas !== undefined && { num_replicas: replicas }),
    allow_direct: true,
  };
  await ensureStream(manager, {
    ...common,
    name: EVENT_STREAM,
    subjects: [EVENT_SUBJECTS],
    max_age: days(eventDays),
    max_bytes: maxBytes,
  });
  await ensureStream(manager, {
    ...common,
    name: DEAD_STREAM,
    subjects: [deadSubject('>')],
    max_age: days(deadLetterDays),
    max_bytes: -1,
  });
  await ensureStream(manager, {
    ...common,
    name: WORK_STREAM,
    subjects: ['platform.work.>'],
    retention: RetentionPolicy.Workqueue,
    // Whoever offers work looks after it, and offers it again.
    max_age: days(1),
    max_bytes: -1,
  });
}

type StreamInput = Partial<StreamConfig> & { name: string };

async function ensureStream(manager: JetStreamManager, wanted: StreamInput): Promise<void> {
  try {
    // The server answers the same request again with success, and another one for the same name with this error.
    await manager.streams.add(wanted);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== STREAM_NAME_IN_USE) throw error;
    await manager.streams.update(wanted.name, wanted);
  }
}

const STREAM_NAME_IN_USE = 10_058;
