import type { ServiceKeys } from '@platform-backend/auth';
import { contentContract, type RunTaskRequest, type TaskTurnInput } from '@platform-backend/contract-content';
import {
  identityContract,
  type ResolvedMemberInput,
  type ResolveMembersRequest,
} from '@platform-backend/contract-identity';
import { newId, notFound, unavailable } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { standIn } from '@platform-backend/service/testing';

/** How assistants behave whose instruction begins with one of these words. */
const MOODS = ['answers', 'thinks', 'fails', 'refuses', 'is away'] as const;

/** Stands in for content: assistants that do as their instructions say, and remember which turns they were given. */
export async function assistants(keys: ServiceKeys) {
  const turns = new Map<string, RunTaskRequest & { organisationId: string; asked: number }>();
  const runTask = (request: RunTaskRequest, context: CallContext): TaskTurnInput => {
    const mood = MOODS.find((one) => request.instruction.startsWith(one)) ?? 'answers';
    if (mood === 'refuses') throw notFound('Assistant');
    if (mood === 'is away') throw unavailable(new Error('away'));
    const asked = (turns.get(request.turnId)?.asked ?? 0) + 1;
    turns.set(request.turnId, { ...request, organisationId: context.organisationId(), asked });
    const isFinished = mood !== 'thinks' || asked > 2;
    return {
      conversationId: `conversation of ${request.turnId}`,
      message: {
        id: request.turnId,
        memberId: request.userId,
        senderId: 'general',
        senderType: 'ASSISTANT',
        message: mood === 'fails' ? 'It went wrong.' : `Done: ${request.instruction}`,
        messageType: mood === 'fails' ? 'ERROR' : 'TEXT',
        conversationId: newId(),
        isFinished,
        attachments: [],
        parentMessageId: '',
      },
    };
  };
  const { address, close } = await standIn(contentContract, { TaskService: { runTask } }, keys);
  return { address, close, turns };
}

/** Stands in for identity: everybody is an editor unless they have left. */
export async function people(keys: ServiceKeys) {
  const gone = new Set<string>();
  const resolveMembers = ({ userIds }: ResolveMembersRequest) => ({
    members: userIds
      .filter((userId) => !gone.has(userId))
      .map((userId): ResolvedMemberInput => ({
        userId,
        name: 'Ada',
        email: `${userId}@people.example`,
        permissionLevel: 'EDITOR',
      })),
  });
  const { address, close } = await standIn(identityContract, { MemberService: { resolveMembers } }, keys);
  return { address, close, leave: (userId: string) => void gone.add(userId) };
}
