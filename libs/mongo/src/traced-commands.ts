import { endDatabaseSpan, startDatabaseSpan } from '@platform-backend/core/database-spans';
import type { mongo } from 'mongoose';

type Span = NonNullable<ReturnType<typeof startDatabaseSpan>>;

/** What a command is about, in the field that has its own name, or as a cursor says it. */
const collectionOf = ({ commandName, command }: mongo.CommandStartedEvent): string | undefined => {
  const { [commandName]: about, collection } = command as Readonly<Record<string, unknown>>;
  return [about, collection].find((name) => typeof name === 'string');
};

/** Has every command of a client that is part of a trace run in a span. The client has to monitor its commands, which costs something. */
export function traceCommands(client: mongo.MongoClient): void {
  const spans = new Map<number, Span>();
  client.on('commandStarted', (started) => {
    const span = startDatabaseSpan(() => {
      const [, address = started.address, port] = /^(.*):(\d+)$/.exec(started.address) ?? [];
      return {
        ...{ system: 'mongodb', namespace: started.databaseName, operation: started.commandName },
        ...{ collection: collectionOf(started), address, port: port === undefined ? undefined : Number(port) },
      };
    });
    if (span) spans.set(started.requestId, span);
  });
  const ended = (requestId: number, failure?: Parameters<typeof endDatabaseSpan>[1]): void => {
    const span = spans.get(requestId);
    if (!span) return;
    spans.delete(requestId);
    endDatabaseSpan(span, failure);
  };
  client.on('commandSucceeded', ({ requestId }) => ended(requestId));
  client.on('commandFailed', ({ requestId, failure }) => {
    const { code } = failure as { readonly code?: string | number };
    ended(requestId, { code, name: failure.name });
  });
}
