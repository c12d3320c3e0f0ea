import { declareError } from '@platform-backend/core';

export const toolServerNotFound = declareError('not_found', 'tool_server_not_found', 'Tool server not found');
export const toolServerNameTaken = declareError(
  'conflict',
  'tool_server_name_taken',
  'There is a tool server of this name already',
);
export const tooManyToolServers = declareError(
  'conflict',
  'too_many_tool_servers',
  'An organisation may have {max} tool servers',
);
/** `reason` is ours, or says what the server has answered with. */
export const toolServerFailed = declareError(
  'upstream_failed',
  'tool_server_failed',
  'The tool server “{name}” gave no answer that can be used: {reason}',
);
