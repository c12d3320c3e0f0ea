import { invalidField, newId, type ActorContext, type Clock, type Page } from '@platform-backend/core';
import {
  changeConnection,
  createConnection,
  deleteConnection,
  type Connection,
  type ConnectionSettings,
} from '../domain/connection.ts';
import type { ConnectionList, Connections } from '../domain/connections.ts';
import { SourceFailure, type ConnectionSource } from '../domain/source.ts';
import { failureOf, openedBy, testOf, type SourcePorts } from './read-source.ts';

export interface ConnectionPorts extends SourcePorts {
  readonly connections: Connections;
  /** Why the platform may not call it, and which field says so; undefined: it may, as far as that can be seen. */
  readonly refusal: (settings: ConnectionSettings) => { readonly field: string; readonly why: string } | undefined;
  /** NOT_PROVIDED: there is no key. */
  readonly seal: (organisationId: string, id: string, secret: string) => string;
  readonly clock: Clock;
  /** The longest trial, in milliseconds. */
  readonly testMs: number;
}

export interface NewConnection extends Pick<Connection, 'name' | 'settings'> {
  /** Empty: none. */
  readonly secret: string;
}

export interface TestedConnection {
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly durationMs: number;
}

export type ConnectionUseCases = ReturnType<typeof connectionUseCases>;

export function connectionUseCases(ports: ConnectionPorts) {
  const { connections, refusal, seal, clock } = ports;

  function requireReachable(settings: ConnectionSettings): void {
    const refused = refusal(settings);
    if (refused) throw invalidField(['body', 'settings', refused.field], refused.why, null);
  }

  const sealed = ({ organisationId }: ActorContext, id: string, secret: string): string | null =>
    secret === '' ? null : seal(organisationId, id, secret);

  return {
    /** INVALID: an address that the platform does not call, or no secret. CONFLICT: the name is taken, or there are too many. */
    async createConnection(by: ActorContext, { name, settings, secret }: NewConnection): Promise<Connection> {
      requireReachable(settings);
      const id = newId();
      const made = { id, name, settings, sealedSecret: sealed(by, id, secret) };
      return connections.add(by, (present) => createConnection(present, made, clock.now()));
    },

    listConnections: (organisationId: string, wanted: ConnectionList): Promise<Page<Connection>> =>
      connections.list(organisationId, wanted),

    getConnection: (organisationId: string, id: string): Promise<Connection> => connections.get(organisationId, id),

    async updateConnection(
      by: ActorContext,
      id: string,
      { secret, ...wanted }: Partial<NewConnection>,
    ): Promise<Connection> {
      if (wanted.settings) requireReachable(wanted.settings);
      const change = { ...wanted, ...(secret !== undefined && { sealedSecret: sealed(by, id, secret) }) };
      return connections.update(by, id, (connection) => changeConnection(connection, change, clock.now()));
    },

    deleteConnection: (by: ActorContext, id: string) =>
      connections.remove(by, id, (connection, datasets) => deleteConnection(connection, datasets, clock.now())),

    async testConnection(organisationId: string, id: string, asked: AbortSignal): Promise<TestedConnection> {
      const connection = await connections.get(organisationId, id);
      const begun = performance.now();
      const durationMs = () => Math.round(performance.now() - begun);
      const inTime = AbortSignal.timeout(ports.testMs);
      try {
        const opened = openedBy(ports, organisationId, connection);
        await testOf(ports.clients, opened, AbortSignal.any([asked, inTime]));
        return { failure: null, durationMs: durationMs() };
      } catch (error) {
        if (asked.aborted) throw error;
        const late = new SourceFailure('timed_out', `It did not answer within ${ports.testMs / 1000} s`);
        const { code, message } = inTime.aborted ? late : failureOf(error);
        return { failure: { code, message }, durationMs: durationMs() };
      }
    },

    /** NOT_FOUND: there is no such connection. INVALID: it is of another kind. */
    async requireSource({ organisationId }: ActorContext, source: ConnectionSource): Promise<void> {
      const { settings } = await connections.get(organisationId, source.connectionId);
      if (settings.kind !== source.kind)
        throw invalidField(['body', 'source', 'connection_id'], `the connection is of kind ${settings.kind}`, null);
    },
  };
}
