import type { Logger } from '@platform-backend/core';
import { parseArgs } from 'node:util';
import { consumerLag } from './consumer-lag.ts';
import { discardDeadLetters, listDeadLetters, returnDeadLetters, type DeadLetterChoice } from './dead-letters.ts';
import { openEventBus, sessionOf, type EventBus } from './nats/event-bus.ts';
import type { Outbox } from './outbox.ts';
import { replayOutbox } from './replay.ts';

export interface EventsCommand {
  readonly args: readonly string[];
  /** Writes to standard error. */
  readonly logger: Logger;
  /** Writes one line of JSON to standard output. */
  readonly write: (result: object) => void;
  /** The service's outbox, as the role it runs with. */
  outbox: Outbox;
  /** Its durable consumers, by their names. */
  consumers: readonly string[];
  /** As the service connects, which is enough to replay its events; dead letters are for the operator. */
  natsUrl: string;
}

/** The words that `events` of a service knows, a line for each. */
export const eventsUsage = `  lag                                   how many wait to be published and how many were set aside, and for each
                                        consumer how many it has not finished and how many it gave up
  set-aside list                        those that can never be published
  set-aside retry ID…|all               tries them once more
  dead-letters list [--consumer NAME]   deliveries that consumers gave up
  dead-letters show SEQUENCE            one of them whole
  dead-letters return SEQUENCE…|all [--consumer NAME]
                                        delivers them once more
  dead-letters discard SEQUENCE…|all [--consumer NAME]
                                        removes them for good
  replay --from TIME --to TIME [--type TYPE] [--organisation ID]
                                        publishes what the outbox holds of a time once more; --type may be repeated`;

/** What an operator does with the events of a service. Throws one sentence when a command cannot be understood. */
export async function eventsCommand(command: EventsCommand): Promise<void> {
  const { args, natsUrl, logger } = command;
  const [name = '', word = ''] = args;
  const alone = commands.get(name);
  const run = alone ?? commands.get(`${name} ${word}`);
  if (!run) throw new Error(`say what to do with the events:\n${eventsUsage}`);
  await using open = new AsyncDisposableStack();
  const bus = (): EventBus =>
    open.adopt(openEventBus({ servers: natsUrl, name: 'events', logger }), (opened) => opened.close());
  await run({ ...command, bus, options: args.slice(alone ? 1 : 2) });
}

interface Call extends EventsCommand {
  /** Connects to NATS, once in a command. */
  bus: () => EventBus;
  /** What stands behind the words of the command. */
  options: readonly string[];
}

type Command = (call: Call) => Promise<void>;

const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({
    lag: async ({ bus, consumers, options, outbox, write }) => {
      parseArgs({ args: [...options] });
      write({ outbox: await outbox.backlog() });
      if (consumers.length === 0) return;
      const session = await sessionOf(bus());
      for (const consumer of consumers) write({ consumer, ...(await consumerLag(session, consumer)) });
    },
    'set-aside list': async ({ options, outbox, write }) => {
      parseArgs({ args: [...options] });
      for (const event of await outbox.listSetAside()) write(event);
    },
    'set-aside retry': async ({ options, outbox, write }) => {
      const ids = parseArgs({ args: [...options], allowPositionals: true }).positionals;
      if (ids.length === 0) throw new Error('say which events: their ids, or all');
      write({ retried: await outbox.retrySetAside(ids.includes('all') ? undefined : ids) });
    },
    'dead-letters list': async ({ bus, options, write }) => {
      const { consumer } = parseArgs({ args: [...options], options: { consumer: { type: 'string' } } }).values;
      for await (const { body: _body, event, ...letter } of listDeadLetters(bus(), { consumer })) {
        write({ ...letter, ...(event && { eventId: event.id, organisationId: event.organisationId }) });
      }
    },
    'dead-letters show': async ({ bus, options, write }) => {
      const { positionals } = parseArgs({ args: [...options], allowPositionals: true });
      const [sequence = 0] = positionals.map(sequenceOf);
      if (positionals.length !== 1) throw new Error('say which dead letter: its sequence');
      for await (const letter of listDeadLetters(bus(), { sequences: [sequence] })) {
        write(letter);
        return;
      }
      throw new Error(`there is no dead letter ${sequence}`);
    },
    'dead-letters return': async ({ bus, options, write }) =>
      write({ returned: await returnDeadLetters(bus(), choiceOf(options)) }),
    'dead-letters discard': async ({ bus, options, write }) =>
      write({ discarded: await discardDeadLetters(bus(), choiceOf(options)) }),
    replay: async ({ bus, options, outbox, write }) => {
      const { values } = parseArgs({
        args: [...options],
        options: {
          from: { type: 'string' },
          to: { type: 'string' },
          type: { type: 'string', multiple: true },
          organisation: { type: 'string' },
        },
      });
      const { type: types, organisation: organisationId } = values;
      const range = { from: timeOf('--from', values.from), to: timeOf('--to', values.to), types, organisationId };
      write({ replayed: await replayOutbox({ outbox, bus: bus(), ...range }) });
    },
  }),
);

function choiceOf(options: readonly string[]): DeadLetterChoice {
  const { positionals, values } = parseArgs({
    args: [...options],
    options: { consumer: { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length === 0) throw new Error('say which dead letters: their sequences, or all');
  return { ...values, ...(!positionals.includes('all') && { sequences: positionals.map(sequenceOf) }) };
}

function sequenceOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`"${text}" is not the sequence of a dead letter`);
  return Number(text);
}

function timeOf(option: string, text = ''): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new Error(`${option} needs a time, such as 2026-03-01T12:00:00Z`);
  return time;
}
