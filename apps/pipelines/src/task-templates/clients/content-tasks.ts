import type { TaskServiceClient } from '@platform-backend/contract-content';
import type { CallOptions } from '@platform-backend/grpc';
import type { AskAssistant } from '../domain/task-templates.ts';

/** Shorter than the lease of whoever asks. */
const timeoutMs = 20_000;

/** Content over gRPC, called on this service's own authority, in the name of a member. */
export const contentTasks =
  (client: Pick<TaskServiceClient<CallOptions>, 'runTask'>): AskAssistant =>
  async ({ organisationId, requestId }, { turnId, task, level }) => {
    const { conversationId, message } = await client.runTask(
      {
        turnId,
        userId: task.memberId,
        permissionLevel: level,
        assistantName: task.assignee,
        instruction: task.instruction,
        context: { entities: [...task.entities] },
      },
      { caller: { organisationId }, requestId, timeoutMs },
    );
    if (!message) throw new Error('content answered without a message');
    return {
      conversationId,
      messageId: message.id,
      isFinished: message.isFinished,
      hasFailed: message.messageType === 'ERROR',
      text: message.message,
    };
  };
