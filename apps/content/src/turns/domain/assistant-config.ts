import type { AssistantSettings } from '../../assistants/domain/assistant.ts';

/** An assistant as it is in a turn; with neither documents, collections nor labels of them it may look at all that the caller may. */
export interface AssistantConfig extends Omit<AssistantSettings, 'description'> {
  readonly id: string;
}

/** What the caller of a turn may read, and whether they may start runs; a key may be limited to some areas. */
export interface TurnRights {
  readonly documents: boolean;
  readonly conventions: boolean;
  readonly datasets: boolean;
  readonly pipelines: boolean;
  readonly runs: boolean;
}

/** The assistant that a caller names, by its name or id. NOT_FOUND: they have none of that name. */
export type FindAssistant = (organisationId: string, memberId: string, name: string) => Promise<AssistantConfig>;
