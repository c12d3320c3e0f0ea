import {
  changedFields,
  created,
  decided,
  deleted,
  forbidden,
  includesLevel,
  invalid,
  levelRequired,
  unchanged,
  type ActorContext,
  type Decision,
  type Fields,
} from '@platform-backend/core';
import { accessShown, changeAccess, madeBy, type Access, type Restrictable } from '../../access/domain/access.ts';
import type { ContentEvent } from '../../events.ts';
import { assistantNameTaken, assistantNotFound } from './errors.ts';

export type AssistantTool = 'search_documents' | 'read_conventions' | 'query_datasets' | 'run_pipelines';

/** Whether tools with effects are carried out: when a person approves the call, not at all, or at once. */
export type ToolEffects = 'ask' | 'never' | 'always';

/** How an assistant answers. */
export interface AssistantSettings {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  /** Empty: the one of the deployment. */
  readonly model: string;
  readonly tools: readonly AssistantTool[];
  /** What it looks at; with neither documents nor collections, all documents. */
  readonly documentIds: readonly string[];
  readonly collections: readonly string[];
  /** Metadata that a document has to have as well, all of it, as labels (`department=hr`). */
  readonly documentLabels: readonly string[];
  /** 0 to 2; null: as the model is set. */
  readonly temperature: number | null;
  readonly toolEffects: ToolEffects;
  /** Tool servers whose allowed tools it may use, as far as whoever asks may open them. */
  readonly toolServerIds: readonly string[];
}

/** An assistant that was made in an organisation. */
export interface Assistant extends AssistantSettings, Restrictable {
  readonly id: string;
  /** What makes it the only one of its name. */
  readonly nameKey: string;
  /** 1 for the first. */
  readonly revision: number;
  /** Who made it. */
  readonly memberId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** How many versions of an assistant are kept; of more, the oldest go. */
export const MAX_VERSIONS = 100;

/** An assistant as one change left it, and who made the change. */
export interface AssistantVersion extends AssistantSettings {
  readonly id: string;
  readonly assistantId: string;
  readonly revision: number;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly createdAt: Date;
}

/** One that everybody has. */
export interface DefaultAssistant extends AssistantSettings {
  readonly id: string;
}

/** It only reads: what a document says must start nothing. Whoever wants an assistant that does makes one with the tool. */
const generalAssistant: DefaultAssistant = {
  id: 'general',
  name: 'General assistant',
  description: "Answers from the organisation's documents and conventions, with its sources.",
  instructions: '',
  model: '',
  tools: ['search_documents', 'read_conventions', 'query_datasets'],
  documentIds: [],
  collections: [],
  documentLabels: [],
  temperature: null,
  toolEffects: 'never',
  toolServerIds: [],
};

export const defaultAssistants: readonly DefaultAssistant[] = [generalAssistant];

/** Names that differ in capitals, spaces around them or the way letters are composed are the same. */
export const nameKeyOf = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

const reserved = new Set(defaultAssistants.flatMap(({ id, name }) => [nameKeyOf(id), nameKeyOf(name)]));

/** CONFLICT: a default assistant has the name. That no other one has it is for the store. */
export function createAssistant(
  { actor }: ActorContext,
  id: string,
  { access, ...settings }: AssistantSettings & Pick<Restrictable, 'access'>,
  at: Date,
): Decision<Assistant, ContentEvent> {
  if (actor.userId === null) throw forbidden();
  const assistant: Assistant = {
    ...checked(settings),
    ...madeBy(actor),
    ...(access && { access }),
    id,
    nameKey: nameKeyOf(settings.name),
    revision: 1,
    memberId: actor.userId,
    createdAt: at,
    updatedAt: at,
  };
  return created('assistant.created', assistant, at, { assistant_id: id, name: assistant.name }, shown(assistant));
}

/** Changes the fields given, which makes a version. FORBIDDEN: below ADMIN it is not one's own. */
export function changeAssistant(
  found: Assistant | undefined,
  by: ActorContext,
  wanted: Partial<AssistantSettings>,
  at: Date,
): Decision<Assistant, ContentEvent> {
  const assistant = changeable(found, by);
  const settings = checked({ ...settingsOf(assistant), ...wanted });
  const changed = Object.keys(changedFields({ ...settingsOf(assistant) }, { ...settings }).after);
  if (changed.length === 0) return unchanged(assistant);
  const next: Assistant = {
    ...assistant,
    ...settings,
    nameKey: nameKeyOf(settings.name),
    revision: assistant.revision + 1,
    updatedAt: at,
  };
  const { id, name, revision } = next;
  return decided(next, {
    name: 'assistant.updated',
    subject: id,
    at,
    data: {
      assistant_id: id,
      name,
      version: revision,
      changed_fields: changed.map((field) => PUBLIC_NAMES[field] ?? field),
    },
    change: changedFields(shown(assistant), shown(next)),
  });
}

/** Restricts it, or opens it to everybody in the organisation, which makes no version. FORBIDDEN: below ADMIN it is not one's own. */
export function changeAssistantAccess(
  found: Assistant | undefined,
  by: ActorContext,
  access: Access | undefined,
  at: Date,
): Decision<Assistant, ContentEvent> {
  const assistant = changeable(found, by);
  return changeAccess(assistant, access, at, { name: 'assistant.access_changed', assistant_id: assistant.id });
}

/** FORBIDDEN: below ADMIN it is not one's own. */
export function deleteAssistant(
  found: Assistant | undefined,
  by: ActorContext,
  at: Date,
): Decision<undefined, ContentEvent, Assistant> {
  const assistant = changeable(found, by);
  const { id } = assistant;
  return deleted('assistant.deleted', assistant, at, { assistant_id: id }, shown(assistant));
}

const settingsOf = (of: AssistantSettings): AssistantSettings => ({
  name: of.name,
  description: of.description,
  instructions: of.instructions,
  model: of.model,
  tools: of.tools,
  documentIds: of.documentIds,
  collections: of.collections,
  documentLabels: of.documentLabels,
  temperature: of.temperature,
  toolEffects: of.toolEffects,
  toolServerIds: of.toolServerIds,
});

/** What the history gets of a change. */
export const versionOf = ({ actor }: ActorContext, id: string, assistant: Assistant): AssistantVersion => ({
  ...settingsOf(assistant),
  id,
  assistantId: assistant.id,
  revision: assistant.revision,
  actor: { type: actor.type, id: actor.id, name: actor.name },
  createdAt: assistant.updatedAt,
});

const PUBLIC_NAMES: Readonly<Record<string, string>> = {
  documentIds: 'document_ids',
  documentLabels: 'document_metadata',
  toolEffects: 'tool_effects',
  toolServerIds: 'tool_server_ids',
};

function changeable(assistant: Assistant | undefined, { actor }: ActorContext): Assistant {
  if (!assistant) throw assistantNotFound();
  if (assistant.memberId !== actor.userId && !includesLevel(actor.level, 'ADMIN'))
    throw levelRequired({ level: 'ADMIN' });
  return assistant;
}

/** What the contract cannot say of settings. */
function checked(settings: AssistantSettings): AssistantSettings {
  const { temperature, tools, documentIds, collections, toolServerIds } = settings;
  if (reserved.has(nameKeyOf(settings.name))) throw assistantNameTaken();
  if (temperature !== null && !(temperature >= 0 && temperature <= 2)) throw outOfRange(temperature);
  const once = <Item>(items: readonly Item[]) => [...new Set(items)];
  return {
    ...settings,
    tools: once(tools),
    documentIds: once(documentIds),
    collections: once(collections),
    toolServerIds: once(toolServerIds),
  };
}

/** INVALID: a model that nobody may ask for here. Empty is the one of the deployment. */
export function requireKnownModel(model: string | undefined, known: readonly string[]): void {
  if (model === undefined || model === '' || known.includes(model)) return;
  const expected = known.length > 0 ? known.map((name) => `'${name}'`).join(' or ') : "''";
  const msg = `Input should be ${expected}`;
  throw invalid([{ type: 'enum', loc: ['body', 'model'], msg, input: model, ctx: { expected } }]);
}

function outOfRange(input: number) {
  const [type, bound, words] =
    input < 0
      ? (['greater_than_equal', { ge: 0 }, 'greater than or equal to 0'] as const)
      : (['less_than_equal', { le: 2 }, 'less than or equal to 2'] as const);
  return invalid([{ type, loc: ['body', 'temperature'], msg: `Input should be ${words}`, input, ctx: bound }]);
}

/** What the audit log shows of it: of a long text how long it is. */
const shown = ({ name, description, instructions, model, tools, documentIds, collections, ...settings }: Assistant) =>
  ({
    name,
    description_length: description.length,
    instructions_length: instructions.length,
    model,
    tools,
    documents: documentIds.length,
    collections: collections.length,
    document_metadata: settings.documentLabels,
    temperature: settings.temperature,
    tool_effects: settings.toolEffects,
    tool_servers: settings.toolServerIds,
    ...accessShown(settings),
  }) satisfies Fields;
