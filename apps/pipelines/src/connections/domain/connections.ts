import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { Connection, ConnectionKind } from './connection.ts';

export interface ConnectionList extends PageRequest {
  readonly order: 'asc' | 'desc';
  /** Empty: of any. */
  readonly kinds: readonly ConnectionKind[];
}

/** The connections of organisations. */
export interface Connections {
  /** NOT_FOUND: there is none. */
  readonly get: (organisationId: string, id: string) => Promise<Connection>;
  readonly list: (organisationId: string, wanted: ConnectionList) => Promise<Page<Connection>>;
  /** Decides by how many there are, which nobody changes meanwhile. */
  readonly add: (
    by: ActorContext,
    decide: (present: number) => Decision<Connection, PipelinesEvent>,
  ) => Promise<Connection>;
  readonly update: (
    by: ActorContext,
    id: string,
    decide: (connection: Connection) => Decision<Connection, PipelinesEvent>,
  ) => Promise<Connection>;
  /** Decides by the names of the datasets that are read from it, to which none comes meanwhile. */
  readonly remove: (
    by: ActorContext,
    id: string,
    decide: (
      connection: Connection,
      datasets: readonly string[],
    ) => Decision<undefined, PipelinesEvent, { readonly id: string }>,
  ) => Promise<{ readonly id: string }>;
}
