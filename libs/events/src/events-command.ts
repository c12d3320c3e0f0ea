import type { CommandCall } from '@platform/core';
import { openDatabase } from '@platform/postgres';
import { parseArgs } from 'node:util';
import { openEventBus, type EventBus } from './nats/event-bus.ts';
import { postgresOutbox } from './postgres-outbox.ts';
import { listDeadLetters, replayOutbox, returnDeadLetters } from './replay.ts';
import { listSetAside, retrySetAside } from './set-aside.ts';

export interface EventsCommand extends CommandCall {
  /** The service's database, as the role it runs with. */
  databaseUrl: string;
  /** As the service connects, which is enough to replay its events; dead letters are for the operator. */
  natsUrl: string;
}

const usage = `say what to do with the events:
  backlog                                     how many wait to be published, for how long, and how many were set aside
  set-aside [--retry ID|all]                  those that can never be published; or tries them once more
  dead-letters [--consumer NAME] [--return SEQUENCE|all]
                                              deliveries that consumers gave up; or delivers them once more
  replay --from TIME --to TIME [--type TYPE]  publishes what the outbox holds of a time once more
--retry, --return and --type may be repeated.`;

/** What an operator does with the events of a service. Throws one sentence when a command cannot be understood. */
export async function eventsCommand(command: EventsCommand): Promise<void> {
  const { args, databaseUrl, natsUrl, logger, write } = command;
  const [name, ...options] = args;
  await using open = new AsyncDisposableStack();
  const database = open.adopt(openDatabase({ url: databaseUrl, applicationName: 'events', logger }), (it) =>
    it.close(),
  );
  const bus = (): EventBus =>
    open.adopt(openEventBus({ servers: natsUrl, name: 'events', logger }), (it) => it.close());

  if (name === 'backlog') {
    parseArgs({ args: options });
    write(await postgresOutbox(database).backlog());
  } else if (name === 'set-aside') {
    const { retry } = parseArgs({ args: options, options: { retry: { type: 'string', multiple: true } } }).values;
    if (retry) write({ retried: await retrySetAside(database, retry.includes('all') ? undefined : retry) });
    else for (const event of await listSetAside(database)) write(event);
  } else if (name === 'dead-letters') {
    const { consumer, return: back } = parseArgs({
      args: options,
      options: { consumer: { type: 'string' }, return: { type: 'string', multiple: true } },
    }).values;
    const ofConsumer = consumer === undefined ? {} : { consumer };
    if (back) {
      const chosen = back.includes('all') ? {} : { sequences: back.map(sequenceOf) };
      write({ returned: await returnDeadLetters({ bus: bus(), ...ofConsumer, ...chosen }) });
    } else for (const { event: _event, ...letter } of await listDeadLetters(bus(), consumer)) write(letter);
  } else if (name === 'replay') {
    const { from, to, type } = parseArgs({
      args: options,
      options: { from: { type: 'string' }, to: { type: 'string' }, type: { type: 'string', multiple: true } },
    }).values;
    const range = { from: timeOf('--from', from), to: timeOf('--to', to) };
    write({ replayed: await replayOutbox({ database, bus: bus(), ...range, ...(type && { types: type }) }) });
  } else {
    throw new Error(usage);
  }
}

function sequenceOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error('--return needs the sequence of a dead letter, or all');
  return Number(text);
}

function timeOf(option: string, text = ''): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new Error(`${option} needs a time, such as 2026-03-01T12:00:00Z`);
  return time;
}
