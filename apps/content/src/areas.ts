import { openSandbox } from '@platform-backend/sandbox';
import { composeAreas, type Area } from '@platform-backend/service';
import { accessArea } from './access/area.ts';
import { assistantsArea } from './assistants/area.ts';
import { conventionsArea } from './conventions/area.ts';
import { conversationsArea } from './conversations/area.ts';
import { creditsArea } from './credits/area.ts';
import { documentsArea } from './documents/area.ts';
import { documentReaders } from './documents/extraction/document-readers.ts';
import { generationsArea } from './generations/area.ts';
import { importsArea } from './imports/area.ts';
import { modelRuntimeArea } from './model-runtime/area.ts';
import { openAiArea } from './open-ai/area.ts';
import { organisationRemovalArea } from './organisation-removal/area.ts';
import { passagesArea } from './passages/area.ts';
import { reportsArea } from './reports/area.ts';
import { retentionArea } from './retention/area.ts';
import { sandboxArea } from './sandbox/area.ts';
import { searchArea } from './search/area.ts';
import { service } from './service.ts';
import { toolServersArea } from './tool-servers/area.ts';
import { transcriptionArea } from './transcription/area.ts';
import { turnsArea } from './turns/area.ts';

/** Puts the service together from its areas, each after those that it builds on. */
export const compose = composeWith({ openSandbox, openReaders: documentReaders });

/** What takes its time to start, and tests have in common. */
interface Started {
  readonly openSandbox: typeof openSandbox;
  readonly openReaders: typeof documentReaders;
}

export function composeWith({ openSandbox, openReaders }: Started) {
  return composeAreas(service, async (context) => {
    const sandbox = sandboxArea(context, { openSandbox });
    const modelRuntime = modelRuntimeArea(context);
    const credits = creditsArea(context);
    const access = accessArea(context);
    const passages = await passagesArea(context, { access: access.exports, modelRuntime: modelRuntime.exports });
    const conventions = conventionsArea(context, {
      access: access.exports,
      credits: credits.exports,
      passages: passages.exports,
    });
    const documents = await documentsArea(context, {
      access: access.exports,
      passages: passages.exports,
      sandbox: sandbox.exports,
      openReaders,
    });
    const toolServers = toolServersArea(context, { access: access.exports });
    const imports = importsArea(context, { access: access.exports, documents: documents.exports });
    const assistants = assistantsArea(context, {
      modelRuntime: modelRuntime.exports,
      access: access.exports,
      documents: documents.exports,
      toolServers: toolServers.exports,
    });
    const conversations = conversationsArea(context, {
      access: access.exports,
      conventions: conventions.exports,
      documents: documents.exports,
      passages: passages.exports,
    });
    const turns = await turnsArea(context, {
      modelRuntime: modelRuntime.exports,
      access: access.exports,
      credits: credits.exports,
      passages: passages.exports,
      conventions: conventions.exports,
      documents: documents.exports,
      toolServers: toolServers.exports,
      assistants: assistants.exports,
      conversations: conversations.exports,
    });
    const generations = generationsArea(context, { credits: credits.exports, turns: turns.exports });
    const search = searchArea(context, {
      credits: credits.exports,
      passages: passages.exports,
      conversations: conversations.exports,
    });
    const reports = reportsArea(context, { conversations: conversations.exports });
    const transcription = await transcriptionArea(context, {
      modelRuntime: modelRuntime.exports,
      credits: credits.exports,
      documents: documents.exports,
      sandbox: sandbox.exports,
    });
    const retention = retentionArea(context, {
      documents: documents.exports,
      conversations: conversations.exports,
      transcription: transcription.exports,
    });
    const openAi = openAiArea(context, {
      credits: credits.exports,
      passages: passages.exports,
      documents: documents.exports,
      assistants: assistants.exports,
      turns: turns.exports,
      transcription: transcription.exports,
    });
    const keeping = [
      ...[retention, conventions, conversations, imports, documents, toolServers, assistants, passages, reports],
      ...[transcription, openAi, generations, access],
    ];
    const organisationRemoval = organisationRemovalArea(context, {
      kinds: keeping.map(({ exports }) => exports.removeAll),
    });
    const areas = [
      sandbox,
      modelRuntime,
      credits,
      access,
      passages,
      conventions,
      documents,
      toolServers,
      imports,
      assistants,
      conversations,
      turns,
      generations,
      search,
      reports,
      transcription,
      retention,
      openAi,
      organisationRemoval,
    ];
    // Whatever they answer, they do it for whoever calls.
    return areas.map((area): Area<typeof service.declaration> =>
      'handlers' in area ? { ...area, handlers: access.exports.forReaders(area.handlers) } : area,
    );
  });
}
