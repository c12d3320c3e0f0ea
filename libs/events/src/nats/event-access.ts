import {
  broadcastSubject,
  DEAD_STREAM,
  deadSubject,
  EVENT_STREAM,
  WORK_STREAM,
  workConsumer,
  workSubject,
} from './streams.ts';

/** What one service does with events. From it follow the rights of its NATS user, which are these and no more. */
export interface EventAccess {
  /** Its name, that of its NATS user and the domain of its events: `platform.v1.<service>.…` */
  readonly service: string;
  /** Whether it has events of its own. */
  readonly publishes: boolean;
  /** The types and patterns of events that it `subscribe`s to. */
  readonly follows: readonly string[];
  /** Its durable consumers (`startConsumer`, `startReaction`) by name, each with the events that it is on. */
  readonly reactions: Readonly<Record<string, string>>;
  /** Its queues of work that its replicas share (`openWorkQueue`). */
  readonly queues?: readonly string[];
  /** What its processes tell each other (`openBroadcast`), by topic. */
  readonly broadcasts?: readonly string[];
}

/** A user of NATS with the subjects that it may publish to and subscribe to. */
export interface NatsUser {
  readonly name: string;
  readonly permissions: {
    readonly publish: { readonly allow: readonly string[]; readonly deny: readonly string[] };
    readonly subscribe: { readonly allow: readonly string[] };
  };
}

/** Makes the streams, and for people: looks at dead letters and publishes them again. */
export const OPERATOR = 'operator';

/** Where a user's answers arrive; it may listen there and nowhere else, so that nobody reads another's. */
export const inboxPrefix = (user: string): string => `_INBOX_${user}`;

/** The operator, and one user for each service. No user may delete or purge a stream. */
export function natsUsers(services: readonly EventAccess[]): NatsUser[] {
  return [operator, ...services.map((access) => userOf(access, services))];
}

/** The same one by another name, for the time in which its password is replaced: a user has one password alone. */
export const otherUser = (name: string): string => `${name}_other`;

const inboxOf = (user: string): string => `${inboxPrefix(user)}.>`;

const byOtherName = ({ name, permissions }: NatsUser): NatsUser => ({
  name: otherUser(name),
  permissions: {
    ...permissions,
    subscribe: {
      allow: permissions.subscribe.allow.map((subject) =>
        subject === inboxOf(name) ? inboxOf(otherUser(name)) : subject,
      ),
    },
  },
});

const api = (call: string): string => `$JS.API.${call}`;
const onConsumer = (stream: string, consumer: string): string[] =>
  ['INFO', 'MSG.NEXT', 'DELETE'].map((call) => api(`CONSUMER.${call}.${stream}.${consumer}`));

const user = (
  name: string,
  allow: readonly string[],
  { deny = [], listens = [] }: { readonly deny?: readonly string[]; readonly listens?: readonly string[] } = {},
): NatsUser => ({
  name,
  permissions: { publish: { allow, deny }, subscribe: { allow: [inboxOf(name), ...listens] } },
});

const operator = user(OPERATOR, [
  ...[EVENT_STREAM, DEAD_STREAM, WORK_STREAM].flatMap((stream) =>
    ['INFO', 'CREATE', 'UPDATE'].map((call) => api(`STREAM.${call}.${stream}`)),
  ),
  api(`CONSUMER.INFO.${EVENT_STREAM}.*`),
  // A dead letter is looked at, published once more on its own subject, and then taken out of the stream.
  api(`DIRECT.GET.${DEAD_STREAM}`),
  'platform.v1.>',
  api(`STREAM.MSG.DELETE.${DEAD_STREAM}`),
]);

function userOf(access: EventAccess, all: readonly EventAccess[]): NatsUser {
  const { service, publishes, follows, reactions, queues = [], broadcasts = [] } = access;
  const toItsOwn = broadcasts.map((topic) => broadcastSubject(service, topic));
  const allow = [
    ...(publishes ? [`platform.v1.${service}.>`] : []),
    // Whether the stream is there, and where it ends.
    api(`STREAM.INFO.${EVENT_STREAM}`),
    // How many dead letters it has.
    ...(Object.keys(reactions).length > 0 ? [api(`STREAM.INFO.${DEAD_STREAM}`)] : []),
    ...Object.entries(reactions).flatMap(([name, events]) => reactionRights(name, events)),
    ...followerRights(follows),
    ...queues.flatMap((queue) => queueRights(service, queue)),
    ...toItsOwn,
  ];
  const durablesOfOthers = all.filter((other) => other !== access).flatMap((other) => Object.keys(other.reactions));
  return user(service, allow, {
    deny: follows.length === 0 ? [] : durablesOfOthers.flatMap(everythingOn),
    listens: toItsOwn,
  });
}

/** The server takes a consumer only when its filter is the one in the subject of the request: no other events come. */
const creation = (consumer: string, events: string): string =>
  api(`CONSUMER.CREATE.${EVENT_STREAM}.${consumer}.${events}`);

const reactionRights = (name: string, events: string): string[] => [
  creation(name, events),
  ...['INFO', 'MSG.NEXT'].map((call) => api(`CONSUMER.${call}.${EVENT_STREAM}.${name}`)),
  `$JS.ACK.${EVENT_STREAM}.${name}.>`,
  deadSubject(name),
];

const queueRights = (service: string, queue: string): string[] => {
  const [subject, consumer] = [workSubject(service, queue), workConsumer(service, queue)];
  return [
    subject,
    api(`CONSUMER.CREATE.${WORK_STREAM}.${consumer}.${subject}`),
    ...['INFO', 'MSG.NEXT'].map((call) => api(`CONSUMER.${call}.${WORK_STREAM}.${consumer}`)),
    `$JS.ACK.${WORK_STREAM}.${consumer}.>`,
  ];
};

/**
 * A follower's consumers live as long as its connection and have names that nobody can guess or list, so any name is
 * allowed here, except those of durable consumers of others.
 */
const followerRights = (follows: readonly string[]): string[] =>
  follows.length === 0 ? [] : [...follows.map((events) => creation('*', events)), ...onConsumer(EVENT_STREAM, '*')];

const everythingOn = (durable: string): string[] => [creation(durable, '>'), ...onConsumer(EVENT_STREAM, durable)];

/**
 * The `authorization` of a nats-server's configuration. Whoever names no user is refused. `passwordOf` answers how the
 * password stands in the file: in quotes, or as `$VARIABLE` of the server's environment; whom it has none for is left out. It is asked for
 * each user by both names.
 */
export function natsAuthorization(
  services: readonly EventAccess[],
  passwordOf: (user: string) => string | undefined,
): string {
  const users = natsUsers(services)
    .flatMap((user) => [user, byOtherName(user)])
    .flatMap(({ name, permissions }) => {
      const password = passwordOf(name);
      if (password === undefined) return [];
      const rights = JSON.stringify(permissions, null, 2).replaceAll('\n', '\n      ');
      return `    { user: ${name}, password: ${password}, permissions: ${rights} }`;
    });
  return `authorization {\n  users: [\n${users.join('\n')}\n  ]\n}\n`;
}
