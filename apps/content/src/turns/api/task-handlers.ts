import type { TaskServiceHandlers } from '@platform-backend/contract-content';
import type { PermissionLevel } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { readerOfCaller } from '../../access/api/reader-of-caller.ts';
import type { PresentReader } from '../../access/domain/opening.ts';
import { messageOf } from '../../conversations/api/message-handlers.ts';
import type { Caller } from '../app/turn-execution.ts';
import type { TurnUseCases } from '../app/turns.ts';
import { rightsOf } from './rights.ts';

/** What assistants do while nobody waits, for other services. */
export const taskHandlers = (app: TurnUseCases, within: PresentReader['within']): TaskServiceHandlers<CallContext> => ({
  async runTask({ turnId, userId, permissionLevel, assistantName, instruction, context: about }, context) {
    const by = inTheNameOf(context, userId, permissionLevel);
    const caller = { kind: 'user', service: '', scopes: [], organisationId: by.organisationId } as const;
    // It finds what the member may open, as if they asked.
    return within(readerOfCaller({ ...caller, userId, level: permissionLevel }), async () => {
      const { conversationId } = await app.start(by, {
        turnId,
        assistantName,
        newMessage: instruction,
        conversationId: undefined,
        entities: about.entities,
        isUnattended: true,
      });
      return { conversationId, message: messageOf(await app.answerOf(by, turnId)) };
    });
  },
});

/** The service acts with the rights of a user, whom it has looked up. */
function inTheNameOf(context: CallContext, userId: string, level: PermissionLevel): Caller {
  const by = context.actorContext();
  return {
    ...by,
    actor: { ...by.actor, userId, level },
    clientGroupId: undefined,
    rights: rightsOf({
      ...{ kind: 'user', service: context.caller.service, userId, organisationId: by.organisationId },
      ...{ level, scopes: [] },
    }),
  };
}
