import type {
  AllowedTool as AllowedToolMessage,
  ServerToolInput,
  ToolServerInput as ToolServerMessage,
  ToolServerServiceHandlers,
} from '@platform-backend/contract-content';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import { accessMessage, accessOf } from '../../access/api/access-messages.ts';
import type { OfferedTool, ToolServerUseCases } from '../app/tool-servers.ts';
import type { AllowedTool, ToolServer } from '../domain/tool-server.ts';

/** What JSON has said before. */
type Schema = NonNullable<ServerToolInput['parameters']> | null;

/** The servers whose tools assistants may use. */
export const toolServerHandlers = (app: ToolServerUseCases): ToolServerServiceHandlers<CallContext> => ({
  async createToolServer({ access, tools, ...given }, context) {
    const settings = { ...given, tools: tools.map(allowedTool) };
    return serverMessage(await app.createToolServer(context.actorContext(), settings, accessOf(access)));
  },

  listToolServers: async ({ name, ...page }, context) =>
    listAnswer('toolServers', await app.listToolServers(context.actorContext(), { ...page, name }), serverMessage),

  getToolServer: async ({ toolServerId }, context) =>
    serverMessage(await app.getToolServer(context.actorContext(), toolServerId)),

  async updateToolServer({ toolServerId, updateMask, tools, ...given }, context) {
    const wanted = fieldsGiven(updateMask, { ...given, tools: tools.map(allowedTool) });
    return serverMessage(await app.updateToolServer(context.actorContext(), toolServerId, wanted));
  },

  async deleteToolServer({ toolServerId }, context) {
    const { id } = await app.deleteToolServer(context.actorContext(), toolServerId);
    return { id, deleted: true };
  },

  setToolServerAccess: async ({ toolServerId, ...access }, context) =>
    accessMessage(await app.setToolServerAccess(context.actorContext(), toolServerId, access)),

  async listServerTools({ toolServerId }, context) {
    const tools = await app.listServerTools(context.actorContext(), toolServerId, context.signal);
    return { tools: tools.map(offeredTool) };
  },
});

const allowedTool = ({ approval, method, ...tool }: AllowedToolMessage): AllowedTool => ({
  ...tool,
  approval: approval ?? 'required',
  method: method ?? 'GET',
});

const serverMessage = ({ tools, headerNames, sealedHeaders: _sealed, ...server }: ToolServer): ToolServerMessage => ({
  ...server,
  headerNames: [...headerNames],
  tools: tools.map(({ parameters, ...tool }) => ({ ...tool, parameters: parameters as Schema })),
  access: accessMessage(server),
});

const offeredTool = ({ parameters, ...tool }: OfferedTool): ServerToolInput => ({
  ...tool,
  parameters: parameters as Schema,
});
