import {
  fieldViolation,
  inParallel,
  invalid,
  newId,
  type ActorContext,
  type Clock,
  type Page,
  type Violation,
} from '@platform-backend/core';
import type { AdmitAccess } from '../../access/app/admit-access.ts';
import type { AccessInput } from '../../access/domain/access.ts';
import {
  changeAssistant,
  changeAssistantAccess,
  createAssistant,
  defaultAssistants,
  deleteAssistant,
  nameKeyOf,
  requireKnownModel,
  type Assistant,
  type AssistantSettings,
  type AssistantVersion,
  type DefaultAssistant,
} from '../domain/assistant.ts';
import type { AssistantList, Assistants, VersionList } from '../domain/assistants.ts';
import { assistantNotFound, tooManyAssistants } from '../domain/errors.ts';
import { keepingHidden, withoutHidden, type AssistantSources } from '../domain/hidden-sources.ts';
import type { FindHiddenSources } from './hidden-sources.ts';

export interface AssistantPorts {
  readonly assistants: Assistants;
  readonly admitAccess: AdmitAccess;
  readonly hasDocument: (organisationId: string, id: string) => Promise<boolean>;
  readonly hasToolServer: (organisationId: string, id: string) => Promise<boolean>;
  readonly hiddenSources: FindHiddenSources;
  /** Those that an assistant may be given in place of the usual one. */
  readonly models: readonly string[];
  readonly clock: Clock;
}

export type AssistantUseCases = ReturnType<typeof assistantUseCases>;

export interface AvailableAssistants {
  readonly default: readonly DefaultAssistant[];
  readonly custom: readonly Assistant[];
}

/** The most that an organisation has: one answer names them all. */
export const MAX_ASSISTANTS = 200;

const LOOKUPS_AT_ONCE = 10;

const missingOne = (field: string, what: string, index: number, input: string): Violation =>
  fieldViolation(['body', field, index], `there is no such ${what}`, input);

export const assistantUseCases = (ports: AssistantPorts) => {
  const { assistants, admitAccess, hiddenSources, models, clock } = ports;

  const list = (organisationId: string, cursor: string): Promise<Page<Assistant>> =>
    assistants.list(organisationId, {
      ...{ order: 'asc', visibility: null, limit: MAX_ASSISTANTS, cursor, includeTotal: false },
    });

  /** INVALID: documents and tool servers that are not there. Those that it had before may be gone since. */
  async function requireNamed(
    organisationId: string,
    { documentIds = [], toolServerIds = [] }: Partial<AssistantSettings>,
    before?: Pick<AssistantSettings, 'documentIds' | 'toolServerIds'>,
  ): Promise<void> {
    const absent = async (
      ids: readonly string[],
      had: readonly string[] = [],
      has: (organisationId: string, id: string) => Promise<boolean>,
    ): Promise<string[]> => {
      const added = ids.filter((id) => !had.includes(id));
      const there = new Set<string>();
      await inParallel(added, { atOnce: LOOKUPS_AT_ONCE }, async (id) => {
        if (await has(organisationId, id)) there.add(id);
      });
      return added.filter((id) => !there.has(id));
    };
    const documents = await absent(documentIds, before?.documentIds, ports.hasDocument);
    const servers = await absent(toolServerIds, before?.toolServerIds, ports.hasToolServer);
    const missing = [
      ...documents.map((id) => missingOne('document_ids', 'document', documentIds.indexOf(id), id)),
      ...servers.map((id) => missingOne('tool_server_ids', 'tool server', toolServerIds.indexOf(id), id)),
    ];
    if (missing.length > 0) throw invalid(missing);
  }

  /** As whoever asks may see them. */
  async function shown<Thing extends AssistantSources>(
    organisationId: string,
    things: readonly Thing[],
  ): Promise<readonly Thing[]> {
    const hidden = await hiddenSources(organisationId, things);
    return things.map((thing) => withoutHidden(thing, hidden));
  }
  async function shownOne(organisationId: string, assistant: Assistant): Promise<Assistant> {
    return withoutHidden(assistant, await hiddenSources(organisationId, [assistant]));
  }

  return {
    async listAvailable({ organisationId }: ActorContext): Promise<AvailableAssistants> {
      const custom: Assistant[] = [];
      let cursor = '';
      do {
        const page = await list(organisationId, cursor);
        custom.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== '');
      return { default: defaultAssistants, custom };
    },

    /** CONFLICT: the name is taken, or there are too many. */
    async createAssistant(by: ActorContext, settings: AssistantSettings, given?: AccessInput): Promise<Assistant> {
      requireKnownModel(settings.model, models);
      await requireNamed(by.organisationId, settings);
      const access = given && (await admitAccess(by, given, { loc: ['body', 'access'] }));
      const made = { ...settings, ...(access && { access }) };
      const [id, at] = [newId(), clock.now()];
      const limit = { max: MAX_ASSISTANTS, refusal: tooManyAssistants };
      const created = await assistants.create(by, id, limit, () => createAssistant(by, id, made, at));
      return shownOne(by.organisationId, created);
    },

    async listAssistants({ organisationId }: ActorContext, wanted: AssistantList): Promise<Page<Assistant>> {
      const page = await assistants.list(organisationId, wanted);
      return { ...page, items: await shown(organisationId, page.items) };
    },

    async getAssistant({ organisationId }: ActorContext, id: string): Promise<Assistant> {
      const assistant = await assistants.find(organisationId, id);
      if (!assistant) throw assistantNotFound();
      return shownOne(organisationId, assistant);
    },

    /** Changes the fields given; of the lists what whoever changes it may not open stays. */
    async updateAssistant(by: ActorContext, id: string, wanted: Partial<AssistantSettings>): Promise<Assistant> {
      requireKnownModel(wanted.model, models);
      const before = await assistants.find(by.organisationId, id);
      const hidden = await hiddenSources(by.organisationId, before ? [before] : []);
      if (before) await requireNamed(by.organisationId, wanted, withoutHidden(before, hidden));
      const updated = await assistants.update(by, id, (found) => {
        const sources = found && keepingHidden(wanted, found, hidden);
        return changeAssistant(found, by, { ...wanted, ...sources }, clock.now());
      });
      return shownOne(by.organisationId, updated);
    },

    /** Says who may open and ask it. INVALID: there are no such groups or members. */
    async setAssistantAccess(by: ActorContext, id: string, wanted: AccessInput): Promise<Assistant> {
      const present = await assistants.find(by.organisationId, id);
      if (!present) throw assistantNotFound();
      const access = await admitAccess(by, wanted, { before: present.access });
      return assistants.update(by, id, (found) => changeAssistantAccess(found, by, access, clock.now()));
    },

    deleteAssistant: (by: ActorContext, id: string): Promise<Assistant> =>
      assistants.update(by, id, (found) => deleteAssistant(found, by, clock.now())),

    async listVersions({ organisationId }: ActorContext, id: string, wanted: VersionList) {
      if (!(await assistants.find(organisationId, id))) throw assistantNotFound();
      const page: Page<AssistantVersion> = await assistants.versions(organisationId, id, wanted);
      return { ...page, items: await shown(organisationId, page.items) };
    },

    /**
     * The assistant that a client names, by its id or else its name: nobody takes the place of another one by being called
     * as that one's id. NOT_FOUND: there is none.
     */
    async assistantNamed(organisationId: string, name: string): Promise<AssistantSettings & { readonly id: string }> {
      const key = nameKeyOf(name);
      const assistant =
        defaultAssistants.find(({ id }) => key === id) ??
        (await assistants.find(organisationId, key)) ??
        defaultAssistants.find((one) => key === nameKeyOf(one.name)) ??
        (await assistants.findByName(organisationId, key));
      if (!assistant) throw assistantNotFound();
      return assistant;
    },
  };
};
