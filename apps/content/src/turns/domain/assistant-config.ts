import type { AssistantTool } from '../../assistants/domain/assistant.ts';

/** An assistant as it is in a turn. */
export interface AssistantConfig {
  readonly id: string;
  readonly name: string;
  readonly instructions: string;
  readonly tools: readonly AssistantTool[];
  /** Documents that it may look at, and collections of them; with neither, all that the caller may. */
  readonly documentIds: readonly string[];
  readonly collections: readonly string[];
  /** Empty: the one of the deployment. */
  readonly model: string;
  /** 0 to 2; null: as the model is set. */
  readonly temperature: number | null;
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
