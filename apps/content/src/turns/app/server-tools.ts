import { idOf } from '@platform-backend/core';
import type { UsableTool } from '../../tool-servers/app/tool-session.ts';
import { ToolRefusal, type ModelTool } from '../domain/language-model.ts';

/** Tools of tool servers as a model may use them in one turn. What needs an approval has effects, whatever it says of itself. */
export const serverTools = (usable: readonly UsableTool[], turnId: string): readonly ModelTool[] =>
  usable.map(({ modelName, server, tool, description, parameters, approval, call }) => ({
    name: modelName,
    description,
    parameters: {},
    schema: parameters,
    // Of what was approved, also where the rule is another one since.
    isOnce: true as const,
    ...(approval === 'required' && {
      asksAlways: true as const,
      effect: () => Promise.resolve(`Use “${tool}” of the tool server “${server}”`),
    }),
    async run(given, signal) {
      const callId = idOf(['tool_server_call', turnId, modelName, JSON.stringify(given)]);
      const { text, isError } = await call(given, { callId, signal });
      if (isError) throw new ToolRefusal(`The tool says that it has failed: ${text}`);
      return text;
    },
  }));
