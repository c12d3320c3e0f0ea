import { newId } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import type { IdentityContext, service } from '../service.ts';
import { memberHandlers } from './api/member-handlers.ts';
import { memberUseCases } from './app/members.ts';
import { membersStore } from './store/members-store.ts';

export type MembersExports = ReturnType<typeof membersArea>['exports'];

/** Members: who belongs to an organisation at which level, and who is invited to. */
export const membersArea = ({ storage, clock }: IdentityContext) => {
  const members = membersStore(storage.database);
  return {
    handlers: { MemberService: memberHandlers(memberUseCases({ members, clock, newId })) },
    exports: { update: members.update },
  } satisfies Area<typeof service.declaration>;
};
