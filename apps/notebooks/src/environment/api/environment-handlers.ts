import type { NotebookEnvironmentServiceHandlers } from '@platform-backend/contract-notebooks';
import type { CallContext } from '@platform-backend/grpc';
import type { EnvironmentUseCases } from '../app/environment.ts';

export const environmentHandlers = (app: EnvironmentUseCases): NotebookEnvironmentServiceHandlers<CallContext> => ({
  async listEnvironmentVariables(_, context) {
    return { variables: [...(await app.listVariables(context.organisationId()))] };
  },

  setEnvironmentVariable: ({ name, value }, context) => app.setVariable(context.actorContext(), name, value),

  async deleteEnvironmentVariable({ name }, context) {
    await app.deleteVariable(context.actorContext(), name);
    return { name, deleted: true };
  },
});
