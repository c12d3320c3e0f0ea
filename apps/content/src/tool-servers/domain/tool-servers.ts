import type { ActorContext, Decision, DomainError, Page, PageRequest } from '@platform-backend/core';
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
  /** Those of these that are there, for whoever asks. */
  readonly idsAmong: (organisationId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** As `update`, of one more within the limit of the organisation, also where several come at the same moment. */
  readonly create: <Result>(
    by: ActorContext,
    id: string,
    limit: { readonly max: number; readonly refusal: (values: { readonly max: number }) => DomainError },
    decide: (server: ToolServer | undefined) => Decision<ToolServer | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
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
