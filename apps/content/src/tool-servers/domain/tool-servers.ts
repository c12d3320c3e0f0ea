import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { AccessInput } from '../../access/domain/access.ts';
import type { ContentEvent } from '../../events.ts';
import type { ToolServer } from './tool-server.ts';

export interface ToolServerList extends PageRequest {
  readonly order: 'asc' | 'desc';
  /** Null: whether it is restricted or not. */
  readonly visibility: AccessInput['visibility'] | null;
  /** Null: whatever it is called. */
  readonly name: string | null;
}

/** The tool servers of organisations. */
export interface ToolServers {
  readonly find: (organisationId: string, id: string) => Promise<ToolServer | undefined>;
  /** Of all that there are, whoever asks. */
  readonly count: (organisationId: string) => Promise<number>;
  readonly list: (organisationId: string, wanted: ToolServerList) => Promise<Page<ToolServer>>;
  /** Loads, decides and saves, with the events. CONFLICT: the name is taken. */
  readonly update: <Result>(
    by: ActorContext,
    id: string,
    decide: (server: ToolServer | undefined) => Decision<ToolServer | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
  /** All of an organisation's, without events of their own. */
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}
