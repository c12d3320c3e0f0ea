import type { ActorContext, Decision, DomainError, Page, PageRequest } from '@platform-backend/core';
import type { AccessInput } from '../../access/domain/access.ts';
import type { ContentEvent } from '../../events.ts';
import type { Assistant, AssistantVersion } from './assistant.ts';

export interface VersionList extends PageRequest {
  readonly order: 'asc' | 'desc';
}

export interface AssistantList extends VersionList {
  /** Null: whether it is restricted or not. */
  readonly visibility: AccessInput['visibility'] | null;
}

/** The assistants that organisations have made. */
export interface Assistants {
  readonly find: (organisationId: string, id: string) => Promise<Assistant | undefined>;
  readonly findByName: (organisationId: string, nameKey: string) => Promise<Assistant | undefined>;
  /** As `update`, of one more within the limit of the organisation, also where several come at the same moment. */
  readonly create: <Result>(
    by: ActorContext,
    id: string,
    limit: { readonly max: number; readonly refusal: (values: { readonly max: number }) => DomainError },
    decide: (assistant: Assistant | undefined) => Decision<Assistant | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
  readonly list: (organisationId: string, wanted: AssistantList) => Promise<Page<Assistant>>;
  readonly versions: (
    organisationId: string,
    assistantId: string,
    wanted: VersionList,
  ) => Promise<Page<AssistantVersion>>;
  /** Loads, decides and saves, in one transaction with the events and the version. CONFLICT: the name is taken. */
  readonly update: <Result>(
    by: ActorContext,
    id: string,
    decide: (assistant: Assistant | undefined) => Decision<Assistant | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
  /** All of an organisation's, without events of their own. */
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}
